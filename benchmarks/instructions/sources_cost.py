"""Counts what a compiler has to do for small files that use the library.

The time of a compiler differs from run to run. Two counts do not: the `tokens` of a file after
preprocessing, and the `instantiations` of templates, which clang writes to its time trace.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import sources

INCLUDE = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
CLANG = "clang++-19"

# A token of C++: a literal, a name, a number or an operator.
TOKEN = re.compile(r'''
    (?: u8 | [uUL] )? R"(?P<end>[^(\s]*)\( .*? \)(?P=end)"
  | (?: u8 | [uUL] )? "(?: [^"\\] | \\. )*"
  | (?: u8 | [uUL] )? '(?: [^'\\] | \\. )*'
  | \.?[0-9] (?: [eEpP][+-] | '?[0-9A-Za-z_] | \. )*
  | [A-Za-z_$][A-Za-z0-9_$]*
  | <<= | >>= | <=> | \.\.\. | ->\*
  | :: | -> | \.\* | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\| | [-+*/%^&|]=
  | \S
''', re.VERBOSE | re.DOTALL)

TOKENS = {
    "source/document": (sources.DOCUMENT, []),
    "source/robots.hpp": (sources.ROBOTS, []),
    "source/cache": (sources.CACHE_BY_CACHE_HPP, []),
    "source/cache-compiled": (sources.CACHE_BY_CACHE_HPP, ["-DROBOTS_COMPILED"]),
}


def _run(compiler, options, text):
    """Gives the text to a compiler, and returns its output."""
    command = [compiler, "-std=c++20", f"-I{INCLUDE}", *options, "-x", "c++", "-"]
    return subprocess.run(command, check=True, input=text, stdout=subprocess.PIPE, text=True).stdout


def tokens(compiler):
    """Counts the tokens of each file after preprocessing."""
    counts = {}
    for row, (text, options) in TOKENS.items():
        preprocessed = _run(compiler, ["-E", "-P", *options], text)
        counts[row, "tokens"] = sum(1 for _ in TOKEN.finditer(preprocessed))
    return counts


def has_clang():
    return shutil.which(CLANG) is not None


def instantiations():
    """Counts the classes and functions that clang makes from templates for a file with a cache."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace.json")
        # Makes no code. With `-fsyntax-only` alone, clang ignores `-ftime-trace`.
        _run(CLANG, ["-c", "-Xclang", "-fsyntax-only", "-o", os.devnull, f"-ftime-trace={trace}",
                     "-ftime-trace-granularity=0"], sources.CACHE_BY_CACHE_HPP)
        events = trace.read_text()
    made = sum(events.count(f'"name":"Instantiate{kind}"') for kind in ("Class", "Function"))
    return {("source/cache", "instantiations"): made}
