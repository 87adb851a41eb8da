#!/usr/bin/env python3
"""Draws the table of robots-fleet-simulation: fleet.py TABLE FOLDER writes three SVG files with gnuplot."""

import csv
import subprocess
import sys
from pathlib import Path

PLOTS = [
    ("fleet-near", "near hits", "Answered by the near tier, of all pages"),
    ("fleet-far", "far operations per page", "Operations of the far tier for each page"),
    ("fleet-memory", "near MiB per worker", "MiB that the near tier of a worker takes"),
]


def draw(rows, name, column, title, folder):
    curves = {}
    for row in rows:
        who = f"{row['workers']} x {row['pages go to']}" if row["workers"] != "1" else "1 worker"
        curves.setdefault(who, []).append((row["near size"], row[column]))
    lines = [
        'set terminal svg size 800,480 background "white"',
        f'set output "{folder / name}.svg"',
        f'set title "{title}"',
        'set xlabel "sites that the near tier of a worker holds"',
        "set logscale x 4",
        "set yrange [0:*]",
        "set grid",
        "set key outside right",
    ]
    for i, points in enumerate(curves.values()):
        lines += [f"$curve{i} << end", *(" ".join(point) for point in points), "end"]
    lines.append("plot " + ", ".join(f'$curve{i} with linespoints title "{who}"' for i, who in enumerate(curves)))
    subprocess.run(["gnuplot"], input="\n".join(lines), text=True, check=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for plot in PLOTS:
        draw(rows, *plot, folder)


if __name__ == "__main__":
    main()
