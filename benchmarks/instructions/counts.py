"""Runs robots-instructions, and counts what its rows take.

A count is a number for a pair of row and measure: `instructions` and `allocations` of one operation,
`octets` of memory for one site or of code, `lines` and `most lines`.
"""

import pathlib
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

# A fixed environment gives the same addresses in each run. The dynamic linker binds all functions
# at the start, so that the first call of a function in a row takes no more than the others.
ENVIRONMENT = {"LD_BIND_NOW": "1", "LC_ALL": "C"}
LINE = 64  # octets
MARK_PAGE = 0x100000000000  # as in lines.cpp
LINES_ROWS = ["lines/allowed", "lines/check"]


def _output(command):
    """Returns what a command prints. Each run has its own folder for temporary files, since several run at once."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        return subprocess.run(command, env={**ENVIRONMENT, "TMPDIR": folder}, check=True,
                              stdout=subprocess.PIPE, text=True).stdout


def _valgrind(*arguments):
    return ["/usr/bin/valgrind", "-q", *arguments]


def build(program):
    """Returns the compiler and its options."""
    compiler, flags = _output([program, "build"]).splitlines()
    return compiler, flags


def instructions(program):
    """Counts the instructions of an operation of each row with callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        printed = _output(_valgrind("--tool=callgrind", "--instr-atstart=no",
                                    f"--callgrind-out-file={folder}/out", program, "instructions"))
        totals = {}
        for dump in pathlib.Path(folder).glob("out*"):
            text = dump.read_text()
            row = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            if row:
                totals[row[1]] = int(re.search(r"^totals: (\d+)", text, re.M)[1])
    counts = {}
    for line in printed.splitlines():
        row, operations = line.split("\t")
        counts[row, "instructions"] = totals[row] / int(operations)
    return counts


def allocations(program):
    """Counts the allocations of an operation of each row."""
    counts = {}
    for line in _output([program, "allocations"]).splitlines():
        row, operations, number = line.split("\t")
        counts[row, "allocations"] = int(number) / int(operations)
    return counts


def memory(program):
    """Counts the octets of memory of a site, and the octets of the program's code."""
    counts = {}
    for line in _output([program, "memory"]).splitlines():
        row, sites, octets = line.split("\t")
        counts[row, "octets"] = int(octets) / int(sites)
    for line in _output(["size", "--format=sysv", program]).splitlines():
        if line.startswith(".text "):
            counts["text", "octets"] = int(line.split()[1])
    return counts


def _windows(trace):
    """Returns the lines of memory that are changed between each two marks of a trace of lackey."""
    begin, end = (f"{MARK_PAGE + i:x},1" for i in (0, 1))
    windows = []
    current = None
    for text in trace:
        if text[:2] not in (" S", " M"):
            continue
        access = text[3:].strip()
        if access == begin:
            current = set()
        elif access == end:
            windows.append(current)
            current = None
        elif current is not None:
            address, size = access.split(",")
            first = int(address, 16)
            current.update(range(first // LINE, (first + int(size) - 1) // LINE + 1))
    return windows


def lines(program):
    """Counts the lines that a hit by one thread and a hit by another thread both change.

    The counts are the mean and the maximum over all pairs of different sites, with the first site
    for the first thread and the second site for the second thread.
    """
    command = _valgrind("--tool=lackey", "--trace-mem=yes", "--log-fd=1", program, "lines")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as running:
        windows = _windows(running.stdout)
    if running.returncode != 0:
        raise subprocess.CalledProcessError(running.returncode, command)
    sites = len(windows) // (2 * len(LINES_ROWS))
    counts = {}
    for row in LINES_ROWS:
        first, other = windows[:sites], windows[sites:2 * sites]
        windows = windows[2 * sites:]
        common = [len(first[i] & other[j]) for i in range(sites) for j in range(sites) if i != j]
        counts[row, "lines"] = sum(common) / len(common)
        counts[row, "most lines"] = max(common)
    return counts


def all_counts(program):
    """Runs the program in every way, two at a time."""
    counts = {}
    with ThreadPoolExecutor(2) as pool:
        for part in pool.map(lambda count: count(program), [instructions, lines, allocations, memory]):
            counts.update(part)
    return counts
