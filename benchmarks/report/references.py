"""Reference figures of rivals, for runs without them.

They were measured with 4,231 real files on a machine whose speed of memchr-lines was MEMCHR. On
another machine, they are scaled by that machine's speed. A bar that uses them says so.
"""

MEMCHR = 4_900  # MB/s, the middle of 3,900 to 5,900

# MB/s, or nanoseconds for match.
FIGURES = {
    ("parse", "fast-robots"): 1_009,
    ("compile", "fast-robots"): 752,
    ("match", "fast-robots"): 589,
    ("parse", "google"): 243,  # 222 to 265
    ("compile", "google"): 203,  # 173 to 234
}


def reference(results, what, who):
    """Returns the expected nanoseconds of a rival for an operation on the real files, or None."""
    walk = results.row("parse", "memchr-lines", "real")
    ours = results.row(what, "robots-cpp", "real")
    figure = FIGURES.get((what, who))
    if not (walk and walk.best and ours and ours.best and figure):
        return None
    scale = walk.megabytes_per_second / MEMCHR
    if what == "match":
        return figure / scale
    return ours.octets_read * 1e3 / (figure * scale)
