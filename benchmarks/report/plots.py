"""The plots of how time grows, which gnuplot draws. To add a plot, add an entry to PLOTS."""

import shutil
import subprocess
from dataclasses import dataclass


@dataclass
class Plot:
    name: str  # the name of the file
    title: str
    x: str
    y: str
    curves: callable  # results -> {who: [(x, y)]}


def growth(what, family):
    """Returns a function for the times of `what` by the size of the inputs of a family."""

    def curves(results):
        found = {}
        for who in results.whom(what):
            points = []
            for what_input in results.inputs(what):
                if what_input.startswith(family + "/"):
                    time = results.best(what, who, what_input)
                    if time:
                        points.append((int(what_input.split("/")[1]), time))
            if points:
                found[who] = points
        return found

    return curves


def threads(results):
    found = {}
    for who in ("robots-cpp", "plain-lru", "independent"):
        points = [
            (count, 1e3 / row.best)
            for (name, count), row in sorted(results.rows.items())
            if name == f"cache/{who}/hit" and row.best
        ]
        if points:
            found[who] = points
    return found


PER_FILE = "ns per file"
PER_QUERY = "ns per query"
PLOTS = [
    Plot("parse-size", "Parse", "octets of the file", PER_FILE, growth("parse", "size")),
    Plot("compile-size", "Read for one crawler, one verdict", "octets of the file", PER_FILE,
         growth("compile", "size")),
    Plot("match-rules-inner", "One query, wildcards inside", "rules", PER_QUERY,
         growth("match", "rules-inner")),
    Plot("match-rules-leading", "One query, wildcards in front", "rules", PER_QUERY,
         growth("match", "rules-leading")),
    Plot("match-stars", "One query, target of 2 KiB", "stars", PER_QUERY, growth("match", "stars")),
    Plot("match-targets", "One query, 100 stars", "octets of the target", PER_QUERY,
         growth("match", "star-targets")),
    Plot("cache-hosts", "allowed(url) on a hit", "hosts", "ns per URL", growth("cache", "hosts")),
    Plot("cache-threads", "Hits", "threads", "million a second", threads),
]


def script(plot, curves, out):
    lines = [
        'set terminal svg size 800,480 background "white"',
        f'set output "{out.name}"',
        f'set title "{plot.title}"',
        f'set xlabel "{plot.x}"',
        f'set ylabel "{plot.y}"',
        "set grid",
        "set key outside right",
    ]
    lines.append("set xtics 1" if plot.x == "threads" else "set logscale xy")
    if plot.x == "threads":
        lines.append("set yrange [0:*]")
    for i, points in enumerate(curves.values()):
        lines.append(f"$data{i} << EOD")
        lines += [f"{x} {y}" for x, y in points]
        lines.append("EOD")
    drawn = [
        f'$data{i} with linespoints linewidth {3 if who == "robots-cpp" else 1} title "{who}"'
        for i, who in enumerate(curves)
    ]
    lines.append("plot " + ", ".join(drawn))
    return "\n".join(lines) + "\n"


def draw(results, folder):
    """Draws all plots into `folder`. Returns their titles and files, and a message if it cannot."""
    program = shutil.which("gnuplot")
    drawn = []
    for plot in PLOTS:
        curves = plot.curves(results)
        if not any(len(points) > 1 for points in curves.values()):
            continue
        out = folder / (plot.name + ".svg")
        commands = folder / (plot.name + ".gnuplot")
        commands.write_text(script(plot, curves, out))
        if program:
            subprocess.run([program, commands.name], cwd=folder, check=True, timeout=60)
            drawn.append((plot.title, out.name))
    if not program:
        return [], "No plots: gnuplot is missing (Debian: gnuplot-nox). The folder has its scripts."
    return drawn, ""
