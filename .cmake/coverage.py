#!/usr/bin/env python3
"""Prints the share of the lines and branches of include/ that the tests run, for each room.

usage: coverage.py BUILD_FOLDER LEAST_LINES LEAST_BRANCHES. The last two are per cent. Exits with 1 below them.
Writes the lines that no test runs to BUILD_FOLDER/uncovered.txt.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

build = pathlib.Path(sys.argv[1])
least = {"lines": float(sys.argv[2]), "branches": float(sys.argv[3])}
include = str(pathlib.Path("include/robots").resolve())
suffix = os.environ.get("LLVM_SUFFIX", "-19")
profile = build / "merged.profdata"

programs = [
    str(path)
    for path in sorted((build / "tests").rglob("*"))
    if path.is_file() and os.access(path, os.X_OK) and path.suffix == ""
    and path.read_bytes().startswith(b"\x7fELF") and "CMakeFiles" not in path.parts
]
profiles = [str(path) for path in (build / "profiles").glob("*.profraw")]
if not profiles or not programs:
    sys.exit("coverage: no profiles; run the tests of the preset coverage first")
subprocess.run([f"llvm-profdata{suffix}", "merge", "-sparse", "-o", profile, *profiles], check=True)
objects = [programs[0]] + [argument for path in programs[1:] for argument in ("-object", path)]
export = subprocess.run(
    [f"llvm-cov{suffix}", "export", "-skip-expansions", f"-instr-profile={profile}", *objects, include],
    check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

totals = collections.defaultdict(lambda: {"lines": [0, 0], "branches": [0, 0]})
missed = []
for file in json.loads(export)["data"][0]["files"]:
    name = pathlib.Path(file["filename"]).relative_to(include)
    room = name.parts[0] if len(name.parts) > 1 else "."
    for key in ("lines", "branches"):
        for total in (totals[room][key], totals["all"][key]):
            total[0] += file["summary"][key]["covered"]
            total[1] += file["summary"][key]["count"]
    starts = [segment for segment in file["segments"] if segment[3] and segment[4] and segment[2] == 0]
    missed += [f"{name}:{segment[0]}:{segment[1]}" for segment in starts]
(build / "uncovered.txt").write_text("\n".join(missed) + "\n")

def percent(part):
    return 100.0 * part[0] / part[1] if part[1] else 100.0

for room in sorted(totals, key=lambda name: (name == "all", name)):
    lines, branches = totals[room]["lines"], totals[room]["branches"]
    print(f"{room:10} lines {percent(lines):5.1f} % of {lines[1]:6}   "
          f"branches {percent(branches):5.1f} % of {branches[1]:6}")
print(f"regions that no test runs: {build / 'uncovered.txt'}")
sys.exit(any(percent(totals["all"][key]) < bar for key, bar in least.items()))
