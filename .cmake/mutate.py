#!/usr/bin/python3
"""Changes one expression of a room at a time and runs the room's tests. A change that no test notices survives.

usage: mutate.py ROOM COUNT SEED, for example mutate.py policy 100 1. Needs python3-clang-19 and g++.

All changes are compiled into one build. ROBOTS_MUTANT=N in the environment turns on change N.
A constant expression cannot read the environment. So a survivor in a constexpr function is written into the text
and compiled again, so that the static_asserts of the tests see it.
Works in build/mutate/ROOM. Prints each survivor with its file, line and change.
"""
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import clang.cindex
from clang.cindex import CursorKind as kind

# The programs that test a room, the fastest first.
PROGRAMS = {
    "rep": ["rep_text_tests", "rep_read_tests", "rep_rules_tests", "rep_document_tests", "rep_extensions_tests",
            "rep_lint_tests", "rep_diff_tests", "rep_json_tests", "rep_tests"],
    "policy": ["policy_tests", "cache_tests"],
    "polite": ["polite_tests", "polite_thread_tests"],
    "cache": ["cache_tests", "tiered_tests", "cache_thread_tests", "fleet_simulation_tests"],
}
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+": "-", "-": "+"}
TIMEOUT = 120  # seconds, since a change can make a loop endless

SWITCH = """#pragma once
#include <cstdlib>
#include <type_traits>
namespace robots_mutants {
inline int active() noexcept {
  static const int number = std::getenv("ROBOTS_MUTANT") ? std::atoi(std::getenv("ROBOTS_MUTANT")) : 0;
  return number;
}
constexpr bool is(int number) noexcept {
  if (std::is_constant_evaluated()) { return false; }
  return active() == number;
}
}
"""


class mutant:
    """A change: the text of [begin, end) becomes `after`."""

    def __init__(self, path, line, begin, end, before, after, is_statement, is_constant):
        self.path, self.line, self.begin, self.end = path, line, begin, end
        self.before, self.after = before, after
        self.is_statement, self.is_constant = is_statement, is_constant

    def switched(self, number):
        if self.is_statement:
            return f"if (!robots_mutants::is({number})) {{ {self.before}; }}"
        return f"(robots_mutants::is({number}) ? ({self.after}) : ({self.before}))"

    def __str__(self):
        before, after = (" ".join(text.split()) for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {before[:90]}  ->  {after[:90] or '(deleted)'}"


FUNCTIONS = {kind.FUNCTION_DECL, kind.CXX_METHOD, kind.CONSTRUCTOR, kind.DESTRUCTOR, kind.FUNCTION_TEMPLATE,
             kind.LAMBDA_EXPR, kind.CONVERSION_FUNCTION}
# Places that need a constant, and places where a change only affects a size, a name or an attribute.
CONSTANTS = {kind.STATIC_ASSERT, kind.ENUM_CONSTANT_DECL, kind.CASE_STMT, kind.TEMPLATE_TYPE_PARAMETER,
             kind.TEMPLATE_NON_TYPE_PARAMETER, kind.CONCEPT_DECL, kind.ALIGNED_ATTR, kind.INIT_LIST_EXPR}


def find_mutants(root, room):
    """Returns every change of the room's functions that this script knows."""
    folder = root / "include" / "robots" / room
    main = root / "all.cpp"
    main.write_text("#include <robots/robots.hpp>\n#include <robots/testing.hpp>\n")
    unit = clang.cindex.Index.create().parse(
        str(main), args=["-std=c++20", f"-I{root}/include", "-DROBOTS_SOURCE_MUTATION"])
    texts, found, seen = {}, [], set()

    def text_of(path):
        if path not in texts:
            texts[path] = pathlib.Path(path).read_bytes()
        return texts[path]

    def is_number(expression):
        name = expression.type.get_canonical().kind.name
        return name in ("INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "USHORT", "SHORT", "UCHAR",
                        "SCHAR", "DOUBLE", "DEPENDENT")

    def add(cursor, after, is_statement, is_constant):
        path = str(pathlib.Path(cursor.location.file.name))
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        before = text_of(path)[begin:end].decode()
        if callable(after):
            after = after(before, begin, path)
        if after is None or "#" in before or (path, begin, end, after) in seen:
            return
        seen.add((path, begin, end, after))
        name = str(pathlib.Path(path).relative_to(root))
        found.append(mutant(name, cursor.extent.start.line, begin, end, before, after, is_statement, is_constant))

    def operator_of(cursor):
        left, right = list(cursor.get_children())
        path = str(pathlib.Path(cursor.location.file.name))
        data = text_of(path)
        return (data[left.extent.end.offset:right.extent.start.offset].decode().strip(),
                data[left.extent.start.offset:left.extent.end.offset].decode(),
                data[right.extent.start.offset:right.extent.end.offset].decode(), left, right)

    def visit(cursor, in_function, is_constant):
        for child in cursor.get_children():
            if child.location.file is None:
                visit(child, in_function, is_constant)
                continue
            if cursor.kind == kind.TRANSLATION_UNIT and not child.location.file.name.startswith(str(root / "include")):
                continue
            if child.kind in CONSTANTS:
                continue
            if child.kind == kind.VAR_DECL and any(
                    token.spelling == "constexpr" for token in list(child.get_tokens())[:4]):
                continue
            inside, constant = in_function, is_constant
            if child.kind in FUNCTIONS:
                inside = True
                head = []
                for token in child.get_tokens():
                    if token.spelling == "{":
                        break
                    head.append(token.spelling)
                if child.kind != kind.LAMBDA_EXPR:
                    constant = "constexpr" in head
            if inside and child.location.file.name.startswith(str(folder)):
                consider(child, cursor, constant)
            visit(child, inside, constant)

    def consider(cursor, parent, constant):
        if cursor.kind == kind.BINARY_OPERATOR and len(list(cursor.get_children())) == 2:
            operator, left, right, left_cursor, right_cursor = operator_of(cursor)
            if operator in ("+", "-") and not (is_number(left_cursor) and is_number(right_cursor)):
                return
            if operator in OTHER:
                add(cursor, f"({left}) {OTHER[operator]} ({right})", False, constant)
        elif cursor.kind == kind.UNARY_OPERATOR:
            add(cursor, lambda before, *_: before[1:] if before.startswith("!") else None, False, constant)
        elif cursor.kind == kind.INTEGER_LITERAL and parent.kind not in (kind.ARRAY_SUBSCRIPT_EXPR,):
            add(cursor, lambda before, *_: f"{before} + 1" if before[:1].isdigit() else None, False, constant)
        elif cursor.kind in (kind.IF_STMT, kind.WHILE_STMT):
            first = next(cursor.get_children(), None)
            tokens = [token.spelling for token, _ in zip(cursor.get_tokens(), range(3))]
            if first is not None and first.kind.is_expression() and "constexpr" not in tokens and ";" not in str(
                    first.kind):
                add(first, lambda before, *_: f"!({before})", False, constant)
        elif cursor.kind == kind.CALL_EXPR and parent.kind == kind.COMPOUND_STMT:
            if cursor.type.kind.name in ("VOID", "DEPENDENT"):
                def whole(before, begin, path):
                    rest = text_of(path)[begin + len(before.encode()):][:1]
                    return "" if rest == b";" else None
                add(cursor, whole, True, constant)

    visit(unit.cursor, False, False)
    return found


def choose(found, count, seed):
    """Returns `count` changes that do not overlap."""
    found.sort(key=lambda one: (one.path, one.begin, one.end, one.after))
    random.Random(seed).shuffle(found)
    chosen = []
    for one in found:
        if len(chosen) == count:
            break
        if not any(other.path == one.path and one.begin < other.end and other.begin < one.end for other in chosen):
            chosen.append(one)
    return sorted(chosen, key=lambda one: (one.path, one.begin))


def write(root, chosen, dropped):
    """Writes the headers with all changes that are not dropped, each with its switch."""
    by_path = {}
    for number, one in enumerate(chosen, 1):
        if number not in dropped:
            by_path.setdefault(one.path, []).append((number, one))
    for path in {one.path for one in chosen}:
        data = (root / "plain" / path).read_bytes()
        for number, one in sorted(by_path.get(path, []), key=lambda item: -item[1].begin):
            end = one.end + (1 if one.is_statement else 0)
            # The change has one line, so that the other lines keep their numbers.
            lines = one.switched(number).replace("\n", " ").encode() + b"\n" * one.before.count("\n")
            data = data[:one.begin] + lines + data[end:]
        if by_path.get(path):
            data = data.replace(b"#pragma once", b"#pragma once\n#include <robots/mutants.hpp>", 1)
        (root / path).write_bytes(data)


def drop_refused(output, chosen, dropped):
    """Drops the changes that do not compile. Returns False if the output is about no change."""
    before = len(dropped)
    for path, line in re.findall(r"(include/robots/\S+?):(\d+):", output):
        for number, one in enumerate(chosen, 1):
            # The added include shifts the lines by one.
            if one.path == path and 0 <= int(line) - 1 - one.line <= one.before.count("\n") and "error" in output:
                dropped.add(number)
    return len(dropped) > before


def refused_by_static_assert(root, one, sources):
    """Returns true if a test does not compile after the change."""
    copy = root / "single" / f"{one.begin}-{abs(hash((one.path, one.after)))}"
    shutil.copytree(root / "plain" / "include", copy / "include")
    data = (root / "plain" / one.path).read_bytes()
    end = one.end + (1 if one.is_statement else 0)
    (copy / one.path).write_bytes(data[:one.begin] + b"(" * (not one.is_statement) + one.after.encode() +
                                  b")" * (not one.is_statement) + data[end:])
    refused = False
    for source in sources:
        result = subprocess.run(
            ["g++", "-std=c++20", "-fsyntax-only", "-w", f"-I{copy}/include", f"-I{root}/tests", str(source)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            refused = True
            break
    shutil.rmtree(copy)
    return refused


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in PROGRAMS:
        sys.exit(__doc__)
    room, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    source = pathlib.Path(__file__).resolve().parent.parent
    root = source / "build" / "mutate" / room
    build = root / "build"
    for name in ("include", "tests", "plain", ".cmake"):
        shutil.rmtree(root / name, ignore_errors=True)
    root.mkdir(parents=True, exist_ok=True)
    for name in ("include", "tests", ".cmake"):
        shutil.copytree(source / name, root / name)
    shutil.copytree(source / "include", root / "plain" / "include")
    for name in ("CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE"):
        shutil.copy(source / name, root / name)
    shutil.copytree(source / "benchmarks", root / "benchmarks", dirs_exist_ok=True)

    chosen = choose(find_mutants(root, room), count, seed)
    (root / "include" / "robots" / "mutants.hpp").write_text(SWITCH)
    dropped = set()
    subprocess.run(
        ["cmake", "-G", "Ninja", "-S", root, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-w -O1",
         "-DROBOTS_BUILD_TESTS=ON", "-DROBOTS_PRECOMPILE=ON", "-DCMAKE_CXX_COMPILER=g++"],
        check=True, stdout=subprocess.DEVNULL)
    programs = PROGRAMS[room]
    while True:
        write(root, chosen, dropped)
        result = subprocess.run(["ninja", "-C", build, "-k", "0", *programs], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if result.returncode == 0:
            break
        if not drop_refused(result.stdout, chosen, dropped):
            sys.exit(result.stdout[-4000:])

    def passes(number):
        for program in programs:
            try:
                done = subprocess.run([build / "tests" / program, "-m", "-af=1"], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, timeout=TIMEOUT, cwd=build / "tests",
                                      env=dict(os.environ, ROBOTS_MUTANT=str(number)))
            except subprocess.TimeoutExpired:
                return False
            if done.returncode != 0:
                return False
        return True

    if not passes(0):
        sys.exit("mutate: the tests fail without any change")
    numbers = [number for number in range(1, len(chosen) + 1) if number not in dropped]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        survivors = [number for number, lives in zip(numbers, pool.map(passes, numbers)) if lives]
        sources = [path for path in sorted((root / "tests" / room).rglob("*.cpp"))
                   if "static_assert" in path.read_text()]
        constant = [number for number in survivors if chosen[number - 1].is_constant]
        refused = pool.map(lambda number: refused_by_static_assert(root, chosen[number - 1], sources), constant)
        caught = {number for number, is_refused in zip(constant, refused) if is_refused}
    survivors = [number for number in survivors if number not in caught]
    for number in survivors:
        print(chosen[number - 1])
    print(f"{room}: {len(numbers) - len(survivors)} of {len(numbers)} changes killed, {len(survivors)} survived "
          f"({len(dropped)} more did not compile)")


main()
