#!/usr/bin/env python3
"""Prints what the library's headers cost a translation unit, beside one that uses <regex> once.

usage: compile_time.py [--compiler COMMAND] [--repetitions N] [COMPILER OPTION...]

CPU seconds (user and system) of -std=c++20 -O0 -c, the least of N repetitions. The repetitions of all
rows take turns, so that a busy machine slows all of them down alike: read the ratios.
"""
import argparse
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

CACHE = """{extern}
bool ask(std::string_view url) {{
  robots::basic_robots_cache<robots::{fetcher}> cache{{
      {{.user_agent = "FooBot", .fallback = robots::fallback_policy::rfc9309()}}}};
  return cache.check(url).allowed;
}}
"""

CURL_HEADERS = """
#include <robots/adapters/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
"""

# name, most times the first row, text
ROWS = [
    ("<regex>, one use", None, """
#include <regex>
#include <string>
bool ask(const std::string& url) { return std::regex_match(url, std::regex{"/a.*b"}); }
"""),
    ("robots.hpp, nothing used", 1.2, "#include <robots/robots.hpp>\n"),
    ("a document", 0.8, """
#include <robots/rep/document/document.hpp>
bool ask(std::string_view text) { return robots::parse(text).allows("/private", "FooBot"); }
"""),
    ("a cache over ScriptedFetcher", 2.5, """
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/scripted_fetcher.hpp>
""" + CACHE.format(fetcher="ScriptedFetcher", extern="")),
    ("a cache over CurlFetcher", None, CURL_HEADERS + CACHE.format(fetcher="CurlFetcher", extern="")),
    ("the same, compiled elsewhere", None, CURL_HEADERS + CACHE.format(
        fetcher="CurlFetcher",
        extern="extern template class robots::basic_robots_cache<robots::CurlFetcher>;")),
    ("fwd.hpp, nothing used", None, "#include <robots/fwd.hpp>\n"),
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


def measure(compiler, options, repetitions, folder):
    """Least CPU seconds of each row; None where it did not compile."""
    least = [None] * len(ROWS)
    failed = set()
    for _ in range(repetitions):
        for row, (_, _, text) in enumerate(ROWS):
            if row in failed:
                continue
            source = pathlib.Path(folder, f"{row}.cpp")
            source.write_text(text, encoding="ascii")
            took = seconds([*compiler, "-std=c++20", "-O0", *options, "-c", str(source), "-o",
                            str(source.with_suffix(".o"))])
            if took is None:
                failed.add(row)
            elif least[row] is None or took < least[row]:
                least[row] = took
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
    if least[0] is None:
        sys.exit("The compiler cannot be run, or it has no <regex>.")

    print("| translation unit | CPU seconds | times <regex> | bar | |")
    print("|---|--:|--:|--:|---|")
    all_hold = True
    for (name, bar, _), took in zip(ROWS, least):
        if took is None:
            print(f"| {name} | not measured | | | |")
            all_hold = all_hold and bar is None
            continue
        ratio = took / least[0]
        holds = bar is None or ratio <= bar
        all_hold = all_hold and holds
        limit = "" if bar is None else f"{bar:.1f}"
        says = "" if bar is None else "holds" if holds else "missed"
        print(f"| {name} | {took:.2f} | {ratio:.2f} | {limit} | {says} |")
    sys.exit(0 if all_hold else 1)


if __name__ == "__main__":
    main()
