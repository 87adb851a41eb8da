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


def answer(value, holds, partial=False):
    """`partial`: this library had no time for all of the input."""
    if value is None:
        return NOT_MEASURED
    return ("holds" if holds(value) else "DOES NOT HOLD") + (" (on a part)" if partial else "")


def faster_than(results, work, what, who, least):
    """At least `least` times as fast as a rival on the real files."""
    ours = results.best(what, "robots-cpp", "real")
    row = results.row(what, who, "real")
    theirs = row.best_for(results.row(what, "robots-cpp", "real")) if row and ours else None
    against = f"{who}: {duration(theirs)}" + (" (on a part)" if row and row.partial else "")
    found = ratio(theirs, ours)
    holds = answer(found, lambda value: value >= least, results.partial(what, "real"))
    if theirs is None:
        theirs = reference(results, what, who)
        found = ratio(theirs, ours)
        against = f"{who}, reference, scaled: {duration(theirs)}" if theirs else f"{who}: -"
    return Bar(work, duration(ours), against, times(found), f">= {least:g}x", holds)


def query_at_most(results, work, what_input, most):
    """At most `most` nanoseconds for a query."""
    value = results.best("match", "robots-cpp", what_input)
    return Bar(
        work,
        duration(value),
        "",
        times(ratio(value, most)) + " of it" if value is not None else "-",
        f"<= {duration(most)}",
        answer(value, lambda found: found <= most, results.partial("match", what_input)),
    )


def queries_at_most_times(results, work, what_input, base_input, most, against):
    """Queries about one input take at most `most` times as long as about another."""
    value, base = (results.best("match", "robots-cpp", each) for each in (what_input, base_input))
    partial = any(results.partial("match", each) for each in (what_input, base_input))
    return at_most_times(work, value, base, most, against, partial)


def at_most_times(work, value, base, most, against, partial=False):
    found = ratio(value, base)
    return Bar(
        work,
        duration(value),
        f"{against}: {duration(base)}",
        times(found),
        f"<= {most:g}x",
        answer(found, lambda r: r <= most, partial),
    )


def share_of_memchr(results):
    ours = results.best("parse", "robots-cpp", "real")
    limit = results.row("parse", "memchr-lines", "real")
    walk = limit.best_for(results.row("parse", "robots-cpp", "real")) if limit and ours else None
    share = ratio(walk, ours)
    return Bar(
        "parse real files",
        duration(ours),
        f"memchr line walk: {duration(walk)}",
        "-" if share is None else f"{100 * share:.0f} %",
        ">= 40 %",
        answer(share, lambda value: value >= 0.4, results.partial("parse", "real")),
    )


def linear(results):
    """Four times the target, at most five times the time."""
    return queries_at_most_times(results, "100 stars, target of 8 KiB", "star-targets/8192",
                                 "star-targets/2048", 5, "target of 2 KiB")


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


def watching(results, who, most):
    """A decision takes at most `most` ns more of its thread, of two that decide."""
    watched, nobody = (results.best("watch", each, "check", 2) for each in (who, "nobody"))
    more = None if watched is None or nobody is None else 2 * (watched - nobody)
    return Bar(
        f"check(url) on a hit, 2 threads, watched by {who}",
        duration(watched),
        f"nobody: {duration(nobody)}",
        "-" if more is None else f"{more:+.1f} ns",
        f"<= {most} ns more",
        answer(more, lambda value: value <= most),
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
        f"worst {number(get('worst'))}x, {100 * get('within') / sets:.0f} % within",
        "<= 1.2 x lines + 200",
        answer(get("worst"), lambda value: value <= 1),
    )


def allocations(results, what, most):
    theme = "allocations-" + what
    found = [results.counter(theme, each, "most") for each in results.inputs(theme)]
    value = max(found) if found else None
    shown = "-" if value is None else f"{value:.0f}"
    name = "parse below 64 KiB" if what == "parse" else what
    return Bar(f"allocations, {name}", shown, f"most of {len(found)} inputs", "", f"<= {most}",
               answer(value, lambda v: v <= most))


def bars(results):
    found = [
        faster_than(results, "parse real files", "parse", "fast-robots", 2),
        faster_than(results, "parse real files", "parse", "google", 8),
        share_of_memchr(results),
        faster_than(results, "compile, one verdict, real files", "compile", "fast-robots", 2.5),
        faster_than(results, "compile, one verdict, real files", "compile", "google", 8),
        query_at_most(results, "one query, real files, mean", "real", 40),
        faster_than(results, "one query, real files, mean", "match", "fast-robots", 15),
    ]
    for kind, pattern in (("inner", "/section-7/*/print$"), ("leading", "/*/section-7/*.html$")):
        work = f"one query, 20,000 rules, {pattern}"
        many, few = f"rules-{kind}/20000", f"rules-{kind}/200"
        found.append(query_at_most(results, work, many, 400))
        found.append(queries_at_most_times(results, work, many, few, 2, "200 rules"))
    found += [
        query_at_most(results, "100 stars, target of 2 KiB", "stars/100", 20_000),
        linear(results),
        at_most_times(
            "allowed(url) on a hit",
            results.best("cache", "robots-cpp", "hit"),
            results.best("cache", "plain-lru", "hit"),
            1.5,
            "plain LRU",
        ),
        threads(results),
        watching(results, "metrics", 15),
        watching(results, "audit", 30),
        memory(results, "real"),
        memory(results, "rules-inner/20000"),
        allocations(results, "parse", 3),
        allocations(results, "match", 0),
    ]
    return found


def bars_table(results):
    head = ["work", "measured", "against", "ratio", "bar", ""]
    return table(head, [bar.cells() for bar in bars(results)])
