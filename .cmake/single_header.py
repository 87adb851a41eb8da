#!/usr/bin/env python3
"""single_header.py INCLUDE_FOLDER OUTPUT_FOLDER: writes robots/robots.hpp, the library without its adapters in one
file, and robots/testing.hpp, the test doubles, which includes it."""
import pathlib
import re
import sys

PROJECT_INCLUDE = re.compile(r"#include <(robots/[^>]*)>(?:\s*//.*)?")


class Joiner:
    def __init__(self, folder):
        self.folder = folder
        self.joined = set()  # headers of the project that are in the output
        self.standard = set()  # other headers that the output includes without a condition

    def lines(self, name):
        """Returns the lines of a header. The lines of the headers that it includes replace the include lines."""
        if name in self.joined:
            return
        self.joined.add(name)
        depth = 0  # the number of open conditions
        bodies = False  # inside "#ifndef ROBOTS_COMPILED": drops the condition, keeps the bodies
        for line in (self.folder / name).read_text().splitlines():
            include = PROJECT_INCLUDE.fullmatch(line)
            if line == "#pragma once":
                continue
            if line == "#ifndef ROBOTS_COMPILED":
                bodies = True
                continue
            if bodies and line == "#endif":
                bodies = False
                continue
            if line.startswith("#if"):
                depth += 1
            elif line.startswith("#endif"):
                depth -= 1
            if include:
                if depth:
                    sys.exit(f"{name} includes {include[1]} under a condition: include it without one")
                yield from self.lines(include[1])
            elif line.startswith("#include") and not depth:
                if line not in self.standard:
                    self.standard.add(line)
                    yield line
            else:
                yield line


def write(path, *parts):
    text = "\n".join("\n".join(part) for part in parts)
    path.write_text(re.sub(r"\n{3,}", "\n\n", text) + "\n")


def main():
    source, output = map(pathlib.Path, sys.argv[1:])
    (output / "robots").mkdir(parents=True, exist_ok=True)
    joiner = Joiner(source)
    head = ["#pragma once", "",
            "// robots-cpp: the library without its adapters, in one file. Made from the headers; do not edit.",
            "// Distributed under the Boost Software License, Version 1.0 (https://www.boost.org/LICENSE_1_0.txt)."]
    write(output / "robots/robots.hpp", head,
          ["#ifdef ROBOTS_COMPILED",
           '#error "The single header has all bodies: do not define ROBOTS_COMPILED with it."', "#endif"],
          joiner.lines("robots/robots.hpp"))
    write(output / "robots/testing.hpp", head, ["#include <robots/robots.hpp>"],
          joiner.lines("robots/testing.hpp"))


main()
