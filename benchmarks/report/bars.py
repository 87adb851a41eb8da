"""The bars: what this library has set itself. A new one is a line in `bars`."""

from dataclasses import dataclass

from references import reference
from text import duration, number, ratio, table, times

NOT_MEASURED = "not measured"


@dataclass
class Bar:
    work: str
    measured: str
    against: str
    ratio: str
    bar: str
    holds: str

    def cells(self):
        return [self.work, self.measured, self.against, self.ratio, self.bar, self.holds]


def answer(value, holds):
    if value is None:
        return NOT_MEASURED
    return "holds" if holds(value) else "DOES NOT HOLD"


def faster_than(results, work, what, who, least):
    """At least `least` times as fast as a rival on the real files."""
    ours = results.best(what, "robots-cpp", "real")
    theirs = results.best(what, who, "real")
    row = results.row(what, who, "real")
    against = f"{who}: {duration(theirs)}" + (" (on a part)" if row and row.partial else "")
    found = ratio(theirs, ours)
    holds = answer(found, lambda value: value >= least)
    if theirs is None:
        theirs = reference(results, what, who)
        found = ratio(theirs, ours)
        against = f"{who}, reference, scaled: {duration(theirs)}" if theirs else f"{who}: absent"
    return Bar(work, duration(ours), against, times(found), f">= {least:g}x", holds)


def at_most(work, value, most, shown=duration, against=""):
    return Bar(
        work,
        shown(value),
        against,
        times(ratio(value, most)) + " of it" if value is not None else "-",
        f"<= {shown(most)}",
        answer(value, lambda found: found <= most),
    )


def at_most_times(work, value, base, most, against):
    found = ratio(value, base)
    return Bar(
        work,
        duration(value),
        f"{against}: {duration(base)}",
        times(found),
        f"<= {most:g}x",
        answer(found, lambda r: r <= most),
    )


def share_of_memchr(results):
    ours = results.best("parse", "robots-cpp", "real")
    walk = results.best("parse", "memchr-lines", "real")
    share = ratio(walk, ours)
    return Bar(
        "parse real files",
        duration(ours),
        f"memchr line walk: {duration(walk)}",
        "-" if share is None else f"{100 * share:.0f} %",
        ">= 40 %",
        answer(share, lambda value: value >= 0.4),
    )


def linear(results):
    """Four times the target, at most five times the time."""
    long = results.best("match", "robots-cpp", "star-targets/8192")
    short = results.best("match", "robots-cpp", "star-targets/2048")
    return at_most_times("100 stars, target of 8 KiB", long, short, 5, "target of 2 KiB")


def threads(results):
    def scale(who):
        return ratio(results.best("cache", who, "hit", 1), results.best("cache", who, "hit", 2))

    least = 1.8
    found = scale("robots-cpp")
    plain, alone = times(scale("plain-lru")), times(scale("independent"))
    holds = answer(found, lambda value: value >= least)
    if found is not None and found < least and (scale("independent") or 0) < least:
        holds = NOT_MEASURED + ": the cores were busy"
    return Bar(
        "allowed(url) on a hit, 2 threads",
        duration(results.best("cache", "robots-cpp", "hit", 2)),
        f"1 thread (plain LRU {plain}, sharing nothing {alone})",
        times(found),
        f">= {least}x",
        holds,
    )


def memory(results, what_input):
    get = lambda name: results.counter("memory", what_input, name)
    sets = get("sets")
    if not sets:
        return Bar(f"rule sets of {what_input}", "-", "", "-", "", NOT_MEASURED)
    mean = lambda name: number(get(name) / sets, 4)
    return Bar(
        f"rule sets of {what_input}",
        f"{mean('heap')} octets",
        f"lines {mean('rule_lines')}, patterns {mean('patterns')}",
        f"worst {times(get('worst'))}, {100 * get('within') / sets:.0f} % within",
        "<= 1.2 x lines + 200",
        answer(get("worst"), lambda value: value <= 1),
    )


def allocations(results, what, most):
    theme = "allocations-" + what
    found = [results.counter(theme, each, "most") for each in results.inputs(theme)]
    value = max(found) if found else None
    shown = "-" if value is None else f"{value:.0f}"
    name = "parse below 64 KiB" if what == "parse" else what
    return Bar(f"allocations, {name}", shown, "most of any input", "", f"<= {most}",
               answer(value, lambda v: v <= most))


def bars(results):
    match = lambda what_input: results.best("match", "robots-cpp", what_input)
    found = [
        faster_than(results, "parse real files", "parse", "fast-robots", 2),
        faster_than(results, "parse real files", "parse", "google", 8),
        share_of_memchr(results),
        faster_than(results, "compile, one verdict, real files", "compile", "fast-robots", 2.5),
        faster_than(results, "compile, one verdict, real files", "compile", "google", 8),
        at_most("one query, real files, mean", match("real"), 40),
        faster_than(results, "one query, real files, mean", "match", "fast-robots", 15),
    ]
    for kind, pattern in (("inner", "/section-7/*/print$"), ("leading", "/*/section-7/*.html$")):
        work = f"one query, 20,000 rules, {pattern}"
        many = match(f"rules-{kind}/20000")
        found.append(at_most(work, many, 400))
        found.append(at_most_times(work, many, match(f"rules-{kind}/200"), 2, "200 rules"))
    found += [
        at_most("100 stars, target of 2 KiB", match("stars/100"), 20_000),
        linear(results),
        at_most_times(
            "allowed(url) on a hit",
            results.best("cache", "robots-cpp", "hit"),
            results.best("cache", "plain-lru", "hit"),
            1.5,
            "plain LRU",
        ),
        threads(results),
        memory(results, "real"),
        memory(results, "rules-inner/20000"),
        allocations(results, "parse", 3),
        allocations(results, "match", 0),
    ]
    return found


def bars_table(results):
    head = ["work", "measured", "against", "ratio", "bar", ""]
    return table(head, [bar.cells() for bar in bars(results)])
