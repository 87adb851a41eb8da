#!/usr/bin/env python3
"""Reads the table of fleet/sites.sh: sites.py TABLE FOLDER prints the cost of a site relative to libcurl with as many
threads, and its growth with the number of sites. It also writes the plots as SVG files with gnuplot."""

import csv
import subprocess
import sys
from pathlib import Path

from text import table

COST = "microseconds a site"
PLOTS = [
    ("cost", COST, "us of CPU for each site"),
    ("memory", "peak MiB", "peak MiB of the run"),
]


def curves(rows, web, column):
    found = {}
    for row in rows:
        if row["web"] == web:
            found.setdefault(row["way"], {})[int(row["sites"])] = float(row[column])
    return found


def draw(rows, web, name, column, title, folder):
    lines = [
        'set terminal svg size 800,480 background "white"',
        f'set output "{folder / f"sites-{web}-{name}"}.svg"',
        f'set title "{web}: {title}"',
        'set xlabel "sites"',
        "set logscale x 10",
        "set yrange [0:*]",
        "set grid",
        "set key outside right",
    ]
    found = curves(rows, web, column)
    for i, points in enumerate(found.values()):
        lines += [f"$curve{i} << end", *(f"{x} {y}" for x, y in points.items()), "end"]
    lines.append("plot " + ", ".join(f'$curve{i} with linespoints title "{way}"' for i, way in enumerate(found)))
    subprocess.run(["gnuplot"], input="\n".join(lines), text=True, check=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for web in dict.fromkeys(row["web"] for row in rows):
        costs = curves(rows, web, COST)
        peaks = curves(rows, web, "peak MiB")
        sites = sorted({count for points in costs.values() for count in points})
        head = [web, *(f"{count:,}: us, x libcurl, MiB" for count in sites)]
        head += [f"growth to {count:,}" for count in sites[1:]]
        lines = []
        for way, cost in costs.items():
            line = [way]
            bare = costs.get("libcurl-threads" if way.endswith("threads") else "libcurl", costs["libcurl"])
            for count in sites:
                line.append(f"{cost[count]:.0f}, {cost[count] / bare[count]:.2f}, {peaks[way][count]:.0f}")
            line += [f"{cost[after] / cost[before]:.2f}" for before, after in zip(sites, sites[1:])]
            lines.append(line)
        print(table(head, lines) + "\n")
        for plot in PLOTS:
            draw(rows, web, *plot, folder)


if __name__ == "__main__":
    main()
