"""The tables of the report.

To add a table, write a function from results to title, remark and table, and an entry in TABLES.
"""

from dataclasses import dataclass

from results import Row
from text import count, duration, number, ratio, table, times

# The limit of a row is the row of this work and limit on the same input.
LIMITS = {
    "parse": ("parse", "memchr-lines"),
    "compile": ("parse", "memchr-lines"),
    "match": ("match", "read-target"),
    "cache": ("cache", "plain-lru"),
}
LIMIT_SUBJECTS = ("memchr-lines", "vector-pass", "memcpy", "read-target")


def limit_of(results, row):
    """Returns the limit of a row, for as many octets as the row has read."""
    if row is None:
        return None
    what, _, what_input = row.name.split("/", 2)
    if what not in LIMITS:
        return None
    theme, who = LIMITS[what]
    limit = results.row(theme, who, what_input, row.threads)
    return limit.best_for(row) if limit else None


def cell(results, what, who, what_input):
    """Returns a time and, in parentheses, its ratio to the limit."""
    row = results.row(what, who, what_input)
    if row is None:
        return ""
    if row.best is None:
        return "gave up" if row.error.startswith("gave up") else "left out"
    mark = "~" if row.partial else ""
    limit = limit_of(results, row)
    return f"{mark}{duration(row.best)} ({times(ratio(row.best, limit))})"


def by_input(what, title, remark):
    def build(results):
        whom = results.whom(what)
        rows = [
            [what_input, *(cell(results, what, who, what_input) for who in whom)]
            for what_input in results.inputs(what)
        ]
        return title, remark, table(["input", *whom], rows)

    return build


def throughput(results):
    whom = [who for who in results.whom("parse")]
    rows = []
    for what in ("parse", "compile"):
        for who in whom:
            row = results.row(what, who, "real")
            if row is not None and row.best is not None:
                limit = limit_of(results, row)
                part = f"{count(max(row.done))} of {count(row.counters['of'])} files"
                rows.append(
                    [
                        what,
                        who,
                        number(row.megabytes_per_second),
                        times(ratio(row.best, limit)),
                        part if row.partial else "",
                    ]
                )
    title = "Real files, in MB/s"
    head = ["work", "by", "MB/s", "times its limit", "measured part"]
    return title, "", table(head, rows)


def cache(results):
    rows = []
    for (name, threads), row in sorted(results.rows.items()):
        if not name.startswith("cache/") or row.best is None or "/hosts" in name:
            continue  # a plot shows these rows
        _, who, what_input = name.split("/", 2)
        one = results.best("cache", who, what_input)
        hits = row.counters.get("hit_share")
        limit = limit_of(results, row)
        rows.append(
            [
                what_input,
                who,
                threads,
                duration(row.best),
                times(ratio(row.best, limit)),
                times(ratio(one, row.best)),
                f"{100 * hits:.1f} %" if hits is not None else "",
            ]
        )
    rows.sort(key=lambda r: (r[0], r[1], r[2]))
    remark = (
        "Among 4,096 hosts; a miss evicts another host. Time is wall time over all threads: with "
        "two threads, half of the time of a look-up. independent: each thread has a plain LRU."
    )
    head = ["work", "by", "threads", "time", "times plain LRU", "throughput of 1 thread", "hits"]
    return "Cache", remark, table(head, rows)


def watching(results):
    rows = []
    for (name, threads), row in sorted(results.rows.items()):
        if name.startswith("watch/") and row.best is not None:
            nobody = results.best("watch", "nobody", "check", threads)
            more = "-" if nobody is None else f"{row.best * threads - nobody * threads:+.1f} ns"
            rows.append([name.split("/")[1], threads, duration(row.best), more])
    remark = (
        "check(url) on a hit among 16 hosts. The last column is the time that the observer adds to "
        "a decision. log and audit record 1 % of the decisions."
    )
    return "Watching", remark, table(["observer", "threads", "time", "more than nobody"], rows)


def primitives(results):
    plain = results.best("cache", "plain-lru", "hit")
    rows = [
        [name.split("/", 1)[1], duration(row.best), times(ratio(row.best, plain))]
        for (name, _), row in sorted(results.rows.items())
        if name.startswith("primitive/") and row.best is not None
    ]
    remark = "The parts of a look-up in a cache."
    return "Primitives", remark, table(["what", "time", "times plain LRU"], rows)


def memory(results):
    rows = []
    for what_input in results.inputs("memory"):
        get = lambda name: results.counter("memory", what_input, name)
        sets = get("sets")
        rows.append(
            [
                what_input,
                count(sets),
                number(get("heap") / sets, 4),
                number(get("memory_bytes") / sets, 4),
                number(get("rule_lines") / sets, 4),
                number(get("patterns") / sets, 4),
                times(ratio(get("heap"), get("rule_lines"))),
                times(ratio(get("heap"), get("patterns"))),
                f"{100 * get('within') / sets:.0f} %",
                times(get("worst")),
            ]
        )
    remark = (
        "Mean octets of a compiled rule set. held: heap memory and the set itself; memory_bytes: "
        "its own count; rule lines: its rules as `key: value` (RFC 9309, section 2.1); patterns: "
        "the patterns alone. within: the share of sets with at most 4/3 times their rule lines "
        "plus 200 octets. worst: the largest set, as a multiple of that limit."
    )
    head = ["input", "sets", "held", "memory_bytes", "rule lines", "patterns", "held / lines",
            "held / patterns", "within", "worst"]
    return "Memory of rule sets", remark, table(head, rows)


def hosts(results):
    rows = []
    for what_input in results.inputs("memory-hosts"):
        get = lambda name: results.counter("memory-hosts", what_input, name)
        kept = get("hosts")
        rows.append(
            [
                what_input,
                count(kept),
                number(get("files") / kept, 4),
                number(get("heap") / kept, 4),
                number(get("hit_allocations") / kept),
            ]
        )
    remark = (
        "A whole cache with a host for each file. file: octets of the robots.txt; held per host: "
        "all heap memory for the host; allocations per hit: the allocations of a second question."
    )
    head = ["input", "hosts", "file", "held per host", "allocations per hit"]
    return "Memory of a cache", remark, table(head, rows)


def small_sites(results):
    rows = []
    for what_input in results.inputs("memory-sites"):
        get = lambda name: results.counter("memory-sites", what_input, name)
        kept = get("hosts")
        rows.append([what_input, count(kept), number(get("resident") / kept, 4)])
    remark = (
        "A cache of many sites with similar files: the growth of the memory of the process, "
        "divided by the number of sites."
    )
    return "Memory of small sites", remark, table(["file", "sites", "octets a site"], rows)


def allocations(results):
    rows = []
    for what in ("parse", "compile", "match"):
        theme = "allocations-" + what
        for what_input in results.inputs(theme):
            get = lambda name: results.counter(theme, what_input, name)
            mean = ratio(get("allocations"), get("operations"))
            rows.append([what, what_input, number(mean), count(get("most"))])
    remark = "Per operation; parse: only files below 64 KiB."
    return "Allocations", remark, table(["work", "input", "mean", "most"], rows)


def every_row(results):
    rows = []
    for (name, threads), row in sorted(results.rows.items()):
        if name.startswith(("memory", "allocations")):
            continue
        limit = limit_of(results, row)
        part = ""
        if row.partial:
            part = f"{count(max(row.done))} of {count(row.counters['of'])} done"
        rows.append(
            [
                f"{name}, {threads} threads" if threads > 1 else name,
                duration(row.best),
                duration(row.median),
                times(ratio(row.best, limit)),
                row.error or part,
            ]
        )
    remark = "Fastest and median repetition."
    head = ["row", "fastest", "median", "times its limit", "remark"]
    return "Every row", remark, table(head, rows)


@dataclass
class Beside:
    """A row of this library, and the fastest rival on the same input."""

    what: str
    what_input: str
    row: Row | None
    rival: str
    theirs: float | None  # nanoseconds for as many octets as the row has read

    @property
    def ours(self):
        return self.row.best if self.row else None

    @property
    def times_ours(self):
        return ratio(self.theirs, self.ours)


def beside_rivals(results):
    for what in ("parse", "compile", "match"):
        rivals = [who for who in results.whom(what) if who not in (*LIMIT_SUBJECTS, "robots-cpp")]
        for what_input in results.inputs(what):
            row = results.row(what, "robots-cpp", what_input)
            theirs = [(results.row(what, who, what_input), who) for who in rivals]
            theirs = [(their.best_for(row), who) for their, who in theirs if row and their]
            best, who = min(((time, who) for time, who in theirs if time), default=(None, ""))
            yield Beside(what, what_input, row, who, best)


def overview(results):
    """Returns a table of this library, the limits and the fastest rivals."""
    rows = []
    for one in beside_rivals(results):
        limit = limit_of(results, one.row)
        rows.append(
            [
                one.what,
                one.what_input,
                duration(one.ours),
                duration(limit),
                times(ratio(one.ours, limit)),
                f"{one.rival} {duration(one.theirs)}",
                times(one.times_ours),
            ]
        )
    remark = (
        "Time per file (parse; compile: the rules of one crawler, and one verdict) or per query. "
        "Limits: memchr finds the ends of the same lines; memchr reads the target once."
    )
    head = ["work", "input", "robots-cpp", "limit", "times it", "fastest rival", "times ours"]
    return "Reading and asking", remark, table(head, rows)


PER_FILE = (
    "Time per file and, in parentheses, its ratio to the limit: memchr finds the same line ends."
)
SHORT = [throughput, overview, cache, watching, primitives]
TABLES = [
    throughput,
    overview,
    by_input("parse", "Parse", PER_FILE + " ~: there was no time for the whole input."),
    by_input("compile", "Read for one crawler, and one verdict", PER_FILE),
    by_input(
        "match",
        "One query about parsed rules",
        "Mean time per query and, in parentheses, its ratio to the limit: memchr reads the target "
        "once. google stores no rules and parses the file again.",
    ),
    cache,
    watching,
    primitives,
    memory,
    hosts,
    small_sites,
    allocations,
    every_row,
]
