"""Reference figures of rivals, for runs without them.

They were measured on 4,231 real files on a machine that walked lines with memchr at MEMCHR; on a
machine that walks faster the rivals are taken to be faster by as much. A bar that rests on them
says so.
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
    """Nanoseconds that the rival is taken to need for an operation on the real files, or None."""
    walk = results.row("parse", "memchr-lines", "real")
    ours = results.row(what, "robots-cpp", "real")
    figure = FIGURES.get((what, who))
    if not (walk and walk.best and ours and ours.best and figure):
        return None
    scale = walk.megabytes_per_second / MEMCHR
    if what == "match":
        return figure / scale
    return ours.octets_read * 1e3 / (figure * scale)
