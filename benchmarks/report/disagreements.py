"""The questions to which rivals and this library give different answers."""

from text import count, table

OURS = "robots-cpp"
EXAMPLES = 3


def shorten(text, most=60):
    text = "".join(c if " " <= c <= "~" else "?" for c in text)
    return text if len(text) <= most else text[: most - 3] + "..."


def disagreements(results):
    """Returns a table of counts, and a table of examples for each rival."""
    counts = []
    examples = []
    for block in results.verdicts:
        if OURS not in block.whom:
            continue
        ours = block.whom.index(OURS)
        for column, who in enumerate(block.whom):
            if column == ours:
                continue
            differing = []
            unanswered = 0
            for asked, answers in zip(block.questions, block.answers):
                unanswered += answers[column] == "?"
                if answers[column] not in (answers[ours], "?"):
                    differing.append((asked, answers))
            total = len(block.questions)
            counts.append(
                [block.name, who, count(total), count(len(differing)),
                 f"{100 * len(differing) / max(1, total):.2f} %", count(unanswered)]
            )
            step = max(1, len(differing) // EXAMPLES)
            for (file, agent, path), answers in differing[::step][:EXAMPLES]:
                allowed = {"1": "allowed", "0": "not"}
                examples.append(
                    [who, shorten(file), agent, f"`{shorten(path)}`", allowed[answers[ours]],
                     allowed[answers[column]]]
                )
    head = ["questions about", "rival", "asked", "answered otherwise", "share", "no answer"]
    return (
        table(head, counts),
        table(["rival", "file", "agent", "path", OURS, "rival says"], examples),
    )
