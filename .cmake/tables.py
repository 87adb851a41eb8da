"""Writes the tables of tests/guides/options.md and tests/guides/events.md from the headers.

    python3 .cmake/tables.py          writes both pages
    python3 .cmake/tables.py --check  fails, and names the rows, if a page differs from the headers

A page keeps its text; only its tables are replaced. In options.md, the heading of a table is the name of the group of
options. Each group has a heading, in any order. A row has the comment of the member. In events.md, a row has the comment of
the event; the comment ends with "In a log: ...".
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
GUIDES = ROOT / "tests" / "guides"
# Groups of options that do not end in `_options`, and groups that belong to state machines inside the library.
OTHER_GROUPS = {"malformed_limit", "prefetch_limits"}
INNER_GROUPS = {"retrieval_options", "unchecked_retrieval_options", "judge_options"}
UNITS = {"milliseconds": "ms", "seconds": "s", "minutes": "min", "hours": "h", "days": "days", "nanoseconds": "duration",
         "bool": "bool", "double": "share", "string": "text", "int": "number", "size_t": "number", "uint64_t": "number",
         "uint16_t": "number", "uint32_t": "number", "required_user_agent": "text", "page_reader": "function"}


def cell(text):
    """Returns a text as the cell of a table."""
    text = " ".join(text.split()).rstrip(".").replace("|", "\\|")
    return text[:1].upper() + text[1:] if re.match(r"[a-z]+ ", text) else text


def joined(lines):
    """Returns the text of a comment. A block of code in it becomes a list."""
    text, block = "", []
    for line in lines + [""]:
        if line.startswith("     "):
            block.append("`%s`" % line.strip())
            continue
        if block and line.strip():
            text += " " + ", ".join(block) + "."
            block = []
        text += " " + line.strip()
    return text.strip()


def members(body):
    """Returns the members of a struct: (declaration, comment) for each that is not a function, a type or an alias."""
    found, comment, declaration, depth, trails = [], [], "", 0, False
    for line in body.splitlines():
        code, mark, behind = re.match(r"(.*?)(?:(?<!:)(//)(.*))?$", line).groups()
        code = code.strip()
        if not code and mark and depth == 0 and not declaration:
            if trails and behind.startswith("/<"):
                found[-1][1].append(behind[2:])
            else:
                comment.append(behind[1:] if behind.startswith("/") else "")
            continue
        if not code and not mark:
            comment, trails = [], False
            continue
        if mark and behind.startswith("/<"):
            comment.append(behind[2:])
        declaration += " " + code
        depth += sum(code.count(c) for c in "{(") - sum(code.count(c) for c in "})")
        if depth == 0 and (code.endswith(";") or (code.endswith("}") and "(" in declaration)):
            found.append((declaration.strip(), comment))
            declaration, comment, trails = "", [], True
    unwanted = r"(\[\[nodiscard|friend |using |enum |struct |class |static |explicit )"
    return [(d, joined(c)) for d, c in found if not re.match(unwanted, d) and "moved_option" not in d]


def split_member(declaration):
    """Returns type, name and default of a member such as `int max_redirects = 5;`."""
    declaration = re.sub(r"\[\[\w+\]\] ?", "", declaration.rstrip(";").strip())
    match = re.match(r"(.*?[\s&*>])(\w+)\s*(?:= (.*)|\{(.*)\})?$", declaration, re.S)
    if not match:
        sys.exit("tables.py cannot read this member: " + declaration)
    return match[1].strip(), match[2], (match[3] or match[4] or "").strip()


def unit(kind, name, comment):
    kind = re.sub(r"\b(std|chrono|robots|detail|cache_detail)::", "", kind)
    if kind.startswith("function<"):
        return "function"
    kind = re.sub(r"^optional<(\w*seconds)>$", r"\1", kind)
    if kind in ("int", "size_t", "uint64_t") and (name.endswith(("bytes", "octets")) or "octets" in comment.split(".")[0]):
        return "octets"
    return UNITS.get(kind, "`" + kind.replace("|", "\\|") + "`")


def structs(text):
    """Returns (name, comment, body) of each struct of a header at the beginning of a line."""
    lines = text.splitlines()
    for first, line in enumerate(lines):
        match = re.match(r"struct (\w+)( : [\w:]+)? \{$", line)
        if not match:
            continue
        begin = first
        while begin > 0 and lines[begin - 1].startswith("///"):
            begin -= 1
        last = lines.index("};", first)
        comment = " ".join(doc[3:].strip() for doc in lines[begin:first])
        yield match[1], comment, "\n".join(lines[first + 1:last])


def option_tables():
    tables = {}
    for header in sorted(INCLUDE.rglob("*.hpp")):
        if header.parent.name == "detail":
            continue
        for name, _, body in structs(header.read_text()):
            if (not name.endswith("_options") and name not in OTHER_GROUPS) or name in INNER_GROUPS:
                continue
            rows = ["`<%s>`" % header.relative_to(INCLUDE).as_posix(), "", "| option | default | unit | effect |",
                    "|---|---|---|---|"]
            for declaration, comment in members(body):
                kind, member, default = split_member(declaration)
                shown = "`%s`" % cell(default) if default else ""
                rows.append("| `%s::%s` | %s | %s | %s |" % (name, member, shown, unit(kind, member, comment), cell(comment)))
            tables[name] = "\n".join(rows)
    return tables


def event_table():
    rows = ["| name | struct | when | fields | level in a log |", "|---|---|---|---|---|"]
    for name, comment, body in structs((INCLUDE / "robots/observe/events.hpp").read_text()):
        label = re.search(r'std::string_view name = "(\w+)"', body)
        if not label:
            continue
        when, mark, level = comment.partition("In a log: ")
        if not mark:
            sys.exit("events.hpp: the comment of %s must end with \"In a log: \" and the level" % name)
        fields = ", ".join("`%s`" % split_member(declaration)[1] for declaration, _ in members(body))
        rows.append("| `%s` | `%s` | %s | %s | %s |" % (label[1], name, cell(when), fields, cell(level)))
    return "\n".join(rows)


def metric_table():
    rows = ["| name | kind | meaning |", "|---|---|---|"]
    text = (INCLUDE / "robots/observe/metrics_snapshot.bodies.hpp").read_text()
    kinds = {"count": "counter", "gauge": "gauge", "by": "counter, by label", "add": "counter, by label",
             "histogram": "histogram, s"}
    for call, name, help_text in re.findall(r'list\.(\w+)\(\s*"(robots\.[\w.]+)",\s*"([^"]*)"', text):
        rows.append("| `%s` | %s | %s |" % (name, kinds[call], cell(help_text)))
    return "\n".join(rows)


def options_page(page):
    tables = option_tables()
    parts = re.split(r"^## (\w+)\n", page, flags=re.M)
    missing = sorted(set(tables) - set(parts[1::2]))
    unknown = sorted(set(parts[1::2]) - set(tables))
    if missing or unknown:
        sys.exit("options.md: add a heading for each of %s; no header has %s" % (missing, unknown))
    return parts[0] + "\n\n".join("## %s\n\n%s" % (name, tables[name]) for name in parts[1::2]) + "\n"


def events_page(page):
    for heading, table in (("## Events\n", event_table()), ("## Metrics\n", metric_table())):
        start = page.index("| name |", page.index(heading))
        rest = page[start:].partition("\n\n")
        page = page[:start] + table + ("\n\n" + rest[2] if rest[1] else "\n")
    return page


def main():
    differs = False
    for name, make in (("options.md", options_page), ("events.md", events_page)):
        path = GUIDES / name
        page = path.read_text()
        made = make(page)
        if made == page:
            continue
        if sys.argv[1:] == ["--check"]:
            differs = True
            old, new = set(page.splitlines()), set(made.splitlines())
            for line in sorted(new - old):
                print("%s lacks: %s" % (name, line[:200]))
            for line in sorted(old - new):
                print("%s is wrong: %s" % (name, line[:200]))
        else:
            path.write_text(made)
    if differs:
        sys.exit("The tables of the guides differ from the headers: run ./run tables")


if __name__ == "__main__":
    main()
