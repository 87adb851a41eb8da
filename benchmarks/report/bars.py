"""The bars, which are limits that this library sets itself. To add a bar, add a line to `bars`."""

from dataclasses import dataclass

from references import reference
from tables import beside_rivals
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
    """Returns whether a bar holds. `partial`: this library had no time for the whole input."""
    if value is None:
        return NOT_MEASURED
    return ("holds" if holds(value) else "DOES NOT HOLD") + (" (on a part)" if partial else "")


def faster_than(results, work, what, who, least, what_input="real"):
    """Requires that this library is at least `least` times as fast as a rival."""
    ours = results.best(what, "robots-cpp", what_input)
    row = results.row(what, who, what_input)
    theirs = row.best_for(results.row(what, "robots-cpp", what_input)) if row and ours else None
    against = f"{who}: {duration(theirs)}" + (" (on a part)" if row and row.partial else "")
    found = ratio(theirs, ours)
    holds = answer(found, lambda value: value >= least, results.partial(what, what_input))
    if theirs is None and what_input == "real":
        theirs = reference(results, what, who)
        found = ratio(theirs, ours)
        against = f"{who}, reference, scaled: {duration(theirs)}" if theirs else f"{who}: -"
    return Bar(work, duration(ours), against, times(found), f">= {least:g}x", holds)


def never_slower(results):
    """Requires 1.1 times the speed of the fastest rival in each row of "Reading and asking". Adds a
    bar for each row that fails."""
    rows = [one for one in beside_rivals(results) if one.times_ours is not None]
    least = 1.1
    slower = [one for one in rows if one.times_ours < least]
    worst = min((one.times_ours for one in rows), default=None)
    yield Bar('all of "Reading and asking"', f"{len(rows)} rows", f"slower: {len(slower)}",
              times(worst), f">= {least:g}x", answer(worst, lambda value: value >= least))
    for one in slower:
        yield Bar(f"{one.what} {one.what_input}", duration(one.ours),
                  f"{one.rival}: {duration(one.theirs)}", times(one.times_ours), f">= {least:g}x",
                  answer(one.times_ours, lambda value: value >= least))


def at_most(results, work, what, what_input, most):
    """Requires that an operation takes at most `most` nanoseconds."""
    value = results.best(what, "robots-cpp", what_input)
    return Bar(
        work,
        duration(value),
        "",
        times(ratio(value, most)) + " of it" if value is not None else "-",
        f"<= {duration(most)}",
        answer(value, lambda found: found <= most, results.partial(what, what_input)),
    )


def queries_at_most_times(results, work, what_input, base_input, most, against):
    """Requires that queries about an input take at most `most` times as long as about another."""
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


def linear(results):
    """Requires that a target of four times the length takes at most five times as long."""
    return queries_at_most_times(results, "100 stars, target of 8 KiB", "star-targets/8192",
                                 "star-targets/2048", 5, "target of 2 KiB")


def attacks(results, work, octets, most):
    """Requires that the slowest known file takes at most `most` ns for a URL of `octets` octets."""
    found = {each: results.best("attack", "robots-cpp", each) for each in results.inputs("attack")
             if each.endswith(f"/{octets}")}
    slowest = max((each for each in found if found[each]), key=found.get, default=None)
    value = found.get(slowest)
    return Bar(work, duration(value), slowest or "-", times(ratio(value, most)) + " of it",
               f"<= {duration(most)}", answer(value, lambda took: took <= most))


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
    """Requires that an observer adds at most `most` ns to a decision, while two threads decide."""
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
        "<= 4/3 x lines + 200",
        answer(get("worst"), lambda value: value <= 1),
    )


def allocations(results, work, what, inputs, most):
    found = [results.counter("allocations-" + what, each, "most") for each in inputs]
    value = max((each for each in found if each is not None), default=None)
    shown = "-" if value is None else f"{value:.0f}"
    return Bar(f"allocations, {work}", shown, f"most of {len(found)} inputs", "", f"<= {most}",
               answer(value, lambda v: v <= most))


def small_site(results, what_input, most):
    sites = results.counter("memory-sites", what_input, "hosts")
    value = ratio(results.counter("memory-sites", what_input, "resident"), sites)
    return Bar(f"octets of memory a site, {what_input}", number(value), "", "", f"<= {most}",
               answer(value, lambda v: v <= most))


def cached(results, work, what_input, base, base_input, most, against):
    """Requires that a row of the cache takes at most `most` times as long as another row."""
    value = results.best("cache", "robots-cpp", what_input)
    return at_most_times(work, value, results.best("cache", base, base_input), most, against)


def bars(results):
    found = [
        *never_slower(results),
        faster_than(results, "parse real files", "parse", "fast-robots", 2),
        faster_than(results, "parse real files", "parse", "google", 5),
        faster_than(results, "compile, one verdict, real files", "compile", "fast-robots", 1.5),
        faster_than(results, "one query, real files, in their order", "match", "fast-robots", 8),
        at_most(results, "the same, shuffled over the files", "match", "real-shuffled", 110),
    ]
    for kind, pattern, most in (("inner", "/section-7/*/print$", 40),
                                ("leading", "/*/section-7/*.html$", 90)):
        work = f"one query, 20,000 rules, {pattern}"
        many, few = f"rules-{kind}/20000", f"rules-{kind}/200"
        found.append(at_most(results, work, "match", many, most))
        found.append(queries_at_most_times(results, work, many, few, 2, "200 rules"))
    found.append(at_most(results, "100 stars, target of 2 KiB", "match", "stars/100", 20_000))
    for size, octets in (("2 KiB", 2048), ("8 KiB", 8192)):
        found.append(faster_than(results, f"100 stars, target of {size}", "match", "fast-robots", 1,
                                 f"star-targets/{octets}"))
    found += [
        linear(results),
        attacks(results, "check(url), worst file, URL of 1 MiB", 1_048_576, 100e6),
        cached(results, "allowed(url) on a hit, 4,096 hosts", "hit", "plain-lru", "hit", 1.5,
               "plain LRU"),
        cached(results, "allowed(url) on a hit, 4,096 hosts of at most 65,536", "hosts/4096",
               "plain-lru", "hosts/4096", 1.5, "plain LRU"),
        cached(results, "allowed(url) on a hit, 65,536 hosts", "hosts/65536", "plain-lru",
               "hosts/65536", 2, "plain LRU"),
        cached(results, "check(url) on a hit, 4,096 hosts", "check", "robots-cpp", "hit", 1.25,
               "allowed(url)"),
        threads(results),
        watching(results, "metrics", 15),
        watching(results, "audit", 30),
        small_site(results, "no-file", 250),
        small_site(results, "allows-all", 300),
        small_site(results, "four-rules", 500),
        memory(results, "real"),
        memory(results, "rules-inner/20000"),
        allocations(results, "parse below 64 KiB", "parse", results.inputs("allocations-parse"), 3),
        allocations(results, "match", "match", results.inputs("allocations-match"), 0),
    ]
    return found


def bars_table(results):
    head = ["work", "measured", "against", "ratio", "bar", ""]
    return table(head, [bar.cells() for bar in bars(results)])
