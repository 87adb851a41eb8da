#!/usr/bin/env python3
"""Compares the counts of robots-instructions, and of files that use the library, with the budgets in
instructions.tsv.

    gate.py PROGRAM COMPILER          fails if a count is above its budget
    gate.py PROGRAM COMPILER --write  writes the counts to instructions.tsv

../README.md says how to read the result.
"""

import pathlib
import platform
import sys

import counts
import sources_cost

BUDGETS = pathlib.Path(__file__).resolve().parent.parent / "instructions.tsv"
HEADER = """\
# The budgets of the library for one operation, counted with g++ 12.2 -O3 on Debian 12, x86-64.
# The rows `source` are about the compiler: clang 19 counts the instantiations, g++ the tokens.
# benchmarks/README.md explains the rows. `./run budgets` writes this file.
# row\tmeasure\tbudget
"""
SLACK = 0.02  # a share of the budget
# The layout of the heap decides which objects share a line, and changes with unrelated code.
LINES_SLACK = {"lines": 0.1, "most lines": 1}
DIGITS = {"instructions": 1, "allocations": 2, "octets": 0, "lines": 2, "most lines": 0,
          "tokens": 0, "instantiations": 0}
# Rulings on other sites may add this share to a hit.
RULINGS_SHARE = 0.05


def read_budgets():
    budgets = {}
    for line in BUDGETS.read_text().splitlines():
        if not line.startswith("#"):
            row, measure, budget = line.split("\t")
            budgets[row, measure] = float(budget)
    return budgets


def write_budgets(measured):
    text = "".join(f"{row}\t{measure}\t{value:.{DIGITS[measure]}f}\n"
                   for (row, measure), value in measured.items())
    BUDGETS.write_text(HEADER + text)


def why_not_compared(program):
    """Returns the reason why the budgets do not apply here, or an empty text."""
    compiler, flags = counts.build(program)
    if compiler != "GNU 12.2.0":
        return f"the compiler is {compiler}, and the budgets are for GNU 12.2.0"
    if "-O3" not in flags or "-DNDEBUG" not in flags or "-march" in flags:
        return f"the options of the compiler are {flags}, and the budgets are for -O3 -DNDEBUG"
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        system = {}
    name = f"{system.get('ID')} {system.get('VERSION_ID')}"
    if name != "debian 12":
        return f"the system is {name}, and the budgets are for debian 12"
    if platform.machine() != "x86_64":
        return f"the processor is {platform.machine()}, and the budgets are for x86_64"
    if " avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
        return "the processor lacks AVX2, so the C library copies memory with other instructions"
    return ""


def say(text):
    print("instructions:", text)


def percent(value, budget):
    return f"{(value / budget - 1) * 100:+.1f} %" if budget else "new"


def measure(program, compiler):
    measured = counts.all_counts(program)
    measured.update(sources_cost.tokens(compiler))
    if sources_cost.has_clang():
        measured.update(sources_cost.instantiations())
    return measured


def compare(measured, budgets):
    """Prints the rows that differ. Returns true if no row is above its budget."""
    above = below = 0
    if not sources_cost.has_clang():
        say(f"not compared: instantiations, since {sources_cost.CLANG} is not installed")
        budgets = {key: value for key, value in budgets.items() if key[1] != "instantiations"}
    for key in [*budgets, *(key for key in measured if key not in budgets)]:
        row, measure = key
        digits = DIGITS[measure]
        if key not in measured:
            say(f"FAILED {row}, {measure}: there is a budget, but the program has no such row")
            above += 1
            continue
        value = round(measured[key], digits)
        if key not in budgets:
            say(f"FAILED {row}, {measure}: {value:.{digits}f}, but there is no budget for it")
            above += 1
            continue
        budget = budgets[key]
        slack = LINES_SLACK.get(measure, budget * SLACK)
        result = (f"{row}, {measure}: budget {budget:.{digits}f}, measured {value:.{digits}f}, "
                  f"{percent(value, budget)}")
        if value > budget + slack:
            say(f"FAILED {result}")
            above += 1
        elif value < budget - slack:
            say(f"lower {result}")
            below += 1
    plain = measured.get(("hit/allowed", "instructions"))
    ruled = measured.get(("hit/rulings", "instructions"))
    if plain and ruled and ruled > plain * (1 + RULINGS_SHARE):
        say(f"FAILED hit/rulings: {ruled:.1f} instructions, and {plain:.1f} without rulings, "
            f"{percent(ruled, plain)}: at most {RULINGS_SHARE:.0%} more")
        above += 1
    if below:
        say(f"{below} counts are lower than their budgets: run ./run budgets, and commit the lower "
            "numbers")
    if above:
        say(f"{above} of {len(budgets)} budgets do not hold: make the code cheaper, or run "
            "./run budgets and say in the commit message why the numbers rise")
    else:
        say(f"{len(budgets)} budgets hold")
    return above == 0


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    compiler = sys.argv[2]
    reason = why_not_compared(program)
    if sys.argv[3:] == ["--write"]:
        if not reason and not sources_cost.has_clang():
            reason = f"{sources_cost.CLANG} is not installed, and the instantiations are counted with it"
        if reason:
            sys.exit(f"instructions: not written: {reason}")
        write_budgets(measure(program, compiler))
        say(f"wrote {BUDGETS}")
        return
    if reason:
        say(f"not compared: {reason}")
        return
    if not compare(measure(program, compiler), read_budgets()):
        sys.exit(1)


if __name__ == "__main__":
    main()
