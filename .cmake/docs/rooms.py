"""rooms.py INCLUDE OUT: writes OUT/rooms.svg, a picture of the rooms of the library and what they
include, and OUT/rooms.md, a page with the types of each room. Both come from the headers."""

import re
import sys
from pathlib import Path

include, out = Path(sys.argv[1]), Path(sys.argv[2])
robots = include / "robots"


def room_of(path):
    """Returns the room of a header, or an empty text for fwd.hpp and for headers outside rooms."""
    parts = [] if path.endswith("fwd.hpp") else path.split("/")[:-1]
    return "/".join(part for part in parts[:2] if part != "detail") if parts else ""


def headers():
    for path in sorted(robots.rglob("*.hpp")):
        name = path.relative_to(robots).as_posix()
        if room_of(name):
            yield name, path.read_text(encoding="utf-8")


uses, types = {}, {}
for name, text in headers():
    room = room_of(name)
    used = uses.setdefault(room, set())
    used |= {room_of(other) for other in re.findall(r"#include <robots/(.*?)>", text)} - {room, ""}
    if "/detail/" in name or name.endswith(".bodies.hpp") or room == "base":
        continue
    namespace = ""
    for inner, kind, one in re.findall(
            r"^(?:namespace ([\w:]+) \{|\}  // namespace [\w:]*detail$)|^(class|struct|concept|enum class) (\w+)(?: final)?(?= : [^;]*\{| ?\{| =)",
            text, re.M):
        if not kind:
            namespace = inner
        elif not namespace.endswith("detail"):
            types.setdefault(room, []).append(one)


def reaches(start, goal, skip):
    """Returns True if start includes goal through another room."""
    seen, todo = set(), [room for room in uses[start] if room != skip]
    while todo:
        room = todo.pop()
        if room == goal:
            return True
        if room not in seen:
            seen.add(room)
            todo.extend(uses.get(room, ()))
    return False


def depth(room, path=()):
    below = [depth(one, path + (room,)) for one in uses.get(room, ()) if one not in path]
    return 1 + max(below) if below else 0


edges = [(a, b) for a in uses for b in uses[a] if b in uses and not reaches(a, b, b)]
rows = {}
for room in sorted(uses):
    rows.setdefault(depth(room), []).append(room)

WIDTH, HEIGHT, GAP, STEP = 138, 30, 14, 64
columns = max(len(row) for row in rows.values())
full = columns * (WIDTH + GAP) + GAP
middle = {}
for level, row in enumerate(rows[key] for key in sorted(rows, reverse=True)):
    left = (full - len(row) * (WIDTH + GAP) + GAP) / 2
    for place, room in enumerate(row):
        middle[room] = (left + place * (WIDTH + GAP) + WIDTH / 2, 20 + level * STEP + HEIGHT / 2)
tall = 20 + len(rows) * STEP

svg = [
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full:.0f} {tall}" width="{full:.0f}"'
    f' height="{tall}">',
    "<style>rect{fill:#eef3f8;stroke:#3a6ea5}text{font:13px sans-serif;fill:#1b1f24}"
    "line{stroke:#7a8aa0;opacity:.7}@media(prefers-color-scheme:dark){rect{fill:#1f2a36;"
    "stroke:#7fb2e5}text{fill:#e6edf3}line{stroke:#8b98a8}}</style>",
]
for a, b in sorted(edges):
    (x1, y1), (x2, y2) = middle[a], middle[b]
    svg.append(f'<line x1="{x1:.0f}" y1="{y1 + HEIGHT / 2:.0f}" x2="{x2:.0f}"'
               f' y2="{y2 - HEIGHT / 2:.0f}"/>')
for room, (x, y) in sorted(middle.items()):
    svg.append(f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}"'
               f' height="{HEIGHT}" rx="5"/><text x="{x:.0f}" y="{y + 4:.0f}"'
               f' text-anchor="middle">{room}</text>')
svg.append("</svg>")

out.mkdir(parents=True, exist_ok=True)
(out / "rooms.svg").write_text("\n".join(svg) + "\n", encoding="utf-8")
page = ["# Reference by room {#rooms}", "",
        "A room is a folder of headers. It includes only rooms below it. Lines show what a room",
        "includes, unless another line leads there, too.", "", "![Rooms](rooms.svg)", ""]
for key in sorted(rows, reverse=True):
    for room in rows[key]:
        if types.get(room):
            page += [f"## {room}", "", ", ".join(f"robots::{one}" for one in types[room]), ""]
(out / "rooms.md").write_text("\n".join(page), encoding="utf-8")
