#!/usr/bin/env python3
"""Prints compile times of files that use the library, header-only and with robots::compiled, next to
the compile time of a file that uses <regex> once.

usage: compile_time.py [--compiler COMMAND] [--repetitions N] [COMPILER OPTION...]

A time is the CPU seconds (user and system) of -std=c++20 -O0 -c, the least of N repetitions. The rows
take turns, so that a busy machine slows down all rows equally: read the ratios.
"""
import argparse
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

import sources

# name, bars as multiples of the first row (header-only, robots::compiled), text
ROWS = [
    ("`<regex>`, one use", (None, None), sources.REGEX),
    ("`robots.hpp`, nothing used", (2.3, 1.3), sources.ROBOTS),
    ("a document", (0.9, 0.9), sources.DOCUMENT),
    ("a cache, by `robots.hpp`", (5.2, 1.6), sources.CACHE_BY_ROBOTS_HPP),
    ("a cache, by `cache.hpp`", (4.2, 1.15), sources.CACHE_BY_CACHE_HPP),
    ("an admission over a cache over CurlFetcher", (None, None), sources.ADMISSION),
    ("`fwd.hpp`, nothing used", (None, None), sources.FWD),
]


def seconds(command):
    """CPU seconds of a command, or None if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        print(f"{shlex.join(command)}\n{done.stderr}", file=sys.stderr)
        return None
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


MODES = ([], ["-DROBOTS_COMPILED"])


def measure(compiler, options, repetitions, folder):
    """Least CPU seconds of each row in each mode; None where it did not compile."""
    least = [[None] * len(MODES) for _ in ROWS]
    failed = set()
    for _ in range(repetitions):
        for row, (_, _, text) in enumerate(ROWS):
            source = pathlib.Path(folder, f"{row}.cpp")
            source.write_text(text, encoding="ascii")
            for mode, definitions in enumerate(MODES):
                if (row, mode) in failed or (row == 0 and definitions):
                    continue
                took = seconds([*compiler, "-std=c++20", "-O0", *options, *definitions, "-c",
                                str(source), "-o", str(source.with_suffix(".o"))])
                if took is None:
                    failed.add((row, mode))
                elif least[row][mode] is None or took < least[row][mode]:
                    least[row][mode] = took
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--repetitions", type=int, default=3)
    chosen, options = parser.parse_known_args()
    include = pathlib.Path(__file__).resolve().parent.parent / "include"
    options.append(f"-I{include}")
    os.environ["CCACHE_DISABLE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        least = measure(shlex.split(chosen.compiler), options, chosen.repetitions, folder)
    regex = least[0][0]
    if regex is None:
        sys.exit("The compiler cannot be run, or it has no <regex>.")

    print("| translation unit | CPU seconds | times <regex> | bar | compiled once | times <regex> | bar |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    all_hold = True
    for (name, bars, _), times in zip(ROWS, least):
        cells = [name]
        for bar, took in zip(bars, times):
            ratio = None if took is None else took / regex
            cells += ["", "", ""] if ratio is None else [
                f"{took:.2f}", f"{ratio:.2f}", "" if bar is None else f"{bar:g}"]
            all_hold = all_hold and (bar is None or (ratio is not None and ratio <= bar))
        print(f"| {' | '.join(cells)} |")
    print("All bars hold." if all_hold else "A bar is missed.")
    sys.exit(0 if all_hold else 1)


if __name__ == "__main__":
    main()
