"""Figures and tables as text."""

import math


def count(value):
    """Returns a whole number."""
    return "-" if value is None else f"{value:,.0f}"


def number(value, digits=3):
    """Returns a number with `digits` significant digits, without an exponent."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    return f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"


def duration(nanoseconds):
    if nanoseconds is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{number(nanoseconds / size)} {unit}"
    return f"{number(nanoseconds)} ns"


def times(ratio):
    return "-" if ratio is None else f"{number(ratio, 2 if ratio < 100 else 3)}x"


def ratio(a, b):
    return a / b if a is not None and b else None


def table(head, rows):
    """Returns a Markdown table with aligned columns, which is also readable in a terminal."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)
