"""Reads the results of a run: results.json, notes.tsv, verdicts.tsv."""

import csv
import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass
class Row:
    """A row with its repetitions. `name` is what/who/input. An input is family or family/size."""

    name: str
    threads: int = 1
    times: list = field(default_factory=list)  # nanoseconds per operation
    counters: dict = field(default_factory=dict)
    error: str = ""

    octets: list = field(default_factory=list)  # octets read per operation
    done: list = field(default_factory=list)  # operations of each repetition

    @property
    def chosen(self):
        """The index of the repetition that counts: the fastest, which was disturbed least.

        If there was no time for the whole input, the repetition with the most operations counts,
        since the first files of an input can be smaller than the others.
        """
        if not self.times:
            return None
        return max(range(len(self.times)), key=lambda i: (self.done[i], -self.times[i]))

    @property
    def best(self):
        return self.times[self.chosen] if self.times else None

    @property
    def median(self):
        return statistics.median(self.times) if self.times else None

    @property
    def partial(self):
        """True if there was no time for the whole input."""
        return max(self.done, default=0) < self.counters.get("of", 0)

    @property
    def octets_read(self):
        """The mean octets that an operation of the chosen repetition reads, or 0."""
        return self.octets[self.chosen] if self.times else 0

    @property
    def megabytes_per_second(self):
        return self.octets_read * 1e3 / self.best if self.octets_read and self.best else None

    def best_for(self, other):
        """Returns nanoseconds for an operation that reads as much as one of the row `other`.

        If one of the rows had no time for all files, the rows have read different files.
        """
        if self.best is None or not (self.octets_read and other.octets_read):
            return self.best
        return self.best * other.octets_read / self.octets_read


class Results:
    def __init__(self, folder):
        try:
            data = json.loads((Path(folder) / "results.json").read_text(errors="replace"))
        except (OSError, ValueError) as error:
            raise SystemExit(f"No results of a whole run in {folder}: {error}") from None
        self.context = data["context"]
        self.trial = self.context.get("trial") == "yes"
        self.rows = {}
        for run in data["benchmarks"]:
            if run["run_type"] == "iteration":
                self._add(run)
        self.notes = []
        with open(Path(folder) / "notes.tsv", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self.notes.append(tuple(line.rstrip("\n").split("\t")))
        self.verdicts = read_verdicts(Path(folder) / "verdicts.tsv")

    def _add(self, run):
        parts = [
            part
            for part in run["run_name"].split("/")
            if ":" not in part and part not in ("manual_time", "real_time")
        ]
        name = "/".join(parts)
        row = self.rows.setdefault((name, run["threads"]), Row(name, run["threads"]))
        if run.get("error_occurred"):
            row.error = run["error_message"]
            return
        row.times.append(run["real_time"] * NANOSECONDS[run["time_unit"]])
        row.octets.append(run.get("octets", 0))
        row.done.append(run.get("operations", 0))
        row.counters.update((k, v) for k, v in run.items() if isinstance(v, (int, float)))

    def row(self, what, who, what_input, threads=1):
        return self.rows.get((f"{what}/{who}/{what_input}", threads))

    def best(self, what, who, what_input, threads=1):
        """Returns nanoseconds per operation, or None if it was not measured."""
        row = self.row(what, who, what_input, threads)
        return row.best if row else None

    def partial(self, what, what_input):
        """Returns True if this library had no time for the whole input."""
        row = self.row(what, "robots-cpp", what_input)
        return row is not None and row.partial

    def counter(self, what, what_input, name):
        row = self.row(what, "robots-cpp", what_input)
        return row.counters.get(name) if row else None

    def inputs(self, what):
        """Returns the inputs of the rows of `what`, in the order of families and sizes."""
        found = {name.split("/", 2)[2] for name, _ in self.rows if name.startswith(what + "/")}
        return sorted(found, key=in_order)

    def whom(self, what):
        """Returns the peers with rows of `what` in the order of measurement, then the others."""
        found = {name.split("/")[1] for name, _ in self.rows if name.startswith(what + "/")}
        order = [who for kind, who, *_ in self.notes if kind == "measured"]
        return [who for who in order if who in found] + sorted(found.difference(order))


def in_order(name):
    family, _, size = name.partition("/")
    return (not family.startswith("real"), family, int(size) if size.isdigit() else 0)


@dataclass
class Verdicts:
    """The answers of all peers to the questions about one input."""

    name: str
    whom: list
    questions: list = field(default_factory=list)  # (file, agent, path)
    answers: list = field(default_factory=list)  # one character for each peer


def read_verdicts(path):
    blocks = []
    with open(path, encoding="utf-8", errors="replace", newline="") as lines:
        for fields in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if fields[:2] == ["input", "file"]:
                blocks.append(Verdicts("", fields[4:]))
                continue
            blocks[-1].name = fields[0]
            blocks[-1].questions.append(tuple(fields[1:4]))
            blocks[-1].answers.append(fields[4:])
    return blocks
