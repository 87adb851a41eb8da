"""Turns the results of robots-benchmarks in a folder into tables, plots and report.md.

    report.py FOLDER [COMMAND]

Prints the tables, then the bars. COMMAND is the command of the run, which the report shows.
"""

import platform
import sys
from pathlib import Path

from bars import bars_table
from disagreements import disagreements
from plots import draw
from results import Results
from tables import SHORT, TABLES
from text import table


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine(results, command):
    context = results.context
    load = ", ".join(f"{value:.2f}" for value in context.get("load_avg", []))
    return table(
        ["what", "which"],
        [
            ["processor", processor()],
            ["cores", context["num_cpus"]],
            ["system", platform.platform()],
            ["compiler", context["compiler"]],
            ["flags", context["flags"]],
            ["command", command],
            ["date", context["date"]],
            ["load when it began", load],
        ],
    )


def main():
    folder = Path(sys.argv[1])
    results = Results(folder)
    command = " ".join(sys.argv[2:]) or "robots-benchmarks"
    plots, no_plots = draw(results, folder)
    counts, examples = disagreements(results)
    bars = bars_table(results)
    remark = "Times are those of the fastest repetition: neighbours can only slow a row down."
    if results.trial:
        remark = (
            "A TRIAL: each row was run once and briefly, on a part of the inputs. Its times, and "
            "what is said of the bars, mean nothing."
        )
    notes = table(["", "what", "note"], [[*note, "", ""][:3] for note in results.notes])

    parts = ["# Benchmarks of robots-cpp", remark, "## Machine", machine(results, command)]
    parts += ["## The bars", bars, "## What was measured, and what was left out", notes]
    for build in TABLES:
        title, about, text = build(results)
        parts += [f"## {title}", *([about] if about else []), text]
    parts += ["## Growth", *([no_plots] if no_plots else [])]
    parts += [f"![{title}]({name})" for title, name in plots]
    parts += ["## Verdicts that differ", counts, "Some of them:", examples]
    (folder / "report.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")

    for build in SHORT:
        title, about, text = build(results)
        print("\n".join(filter(None, ["", title, about, text])))
    print("\nVerdicts that differ\n" + counts)
    print("\nThe bars. " + remark + "\n" + bars)
    print("\n".join(filter(None, ["", no_plots, f"Report: {folder / 'report.md'}"])))


if __name__ == "__main__":
    main()
