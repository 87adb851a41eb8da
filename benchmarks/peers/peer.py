"""The protocol of peers, for peers in Python. README.md describes it.

An engine is a class with `note`, `decode(octets)`, `parse(text)` and `allows(rules, question)`.
"""

import sys
import time


class Question:
    def __init__(self, line):
        file, self.agent, self.path = line.rstrip("\n").split("\t")
        self.file = int(file)
        self.url = "https://www.example.com" + self.path


class Input:
    def __init__(self, engine, stream, files, questions):
        self.sizes = []
        self.texts = []
        for _ in range(files):
            self.sizes.append(int(stream.readline()))
            self.texts.append(engine.decode(stream.read(self.sizes[-1])))
        self.questions = [Question(stream.readline().decode()) for _ in range(questions)]
        self.first = {}
        for question in self.questions:
            self.first.setdefault(question.file, question)
        self.rules = [engine.parse(text) for text in self.texts]


def best_pass(items, once, size, budget):
    """Returns the fastest pass over the items within the budget, after a pass to warm up."""
    clock = time.perf_counter_ns
    start = clock()
    operations = octets = 0
    for item in items:
        once(item)
        operations += 1
        octets += size(item)
        if clock() - start > budget:
            break
    if operations < len(items):
        return operations, octets, clock() - start
    best = None
    while best is None or clock() - start < budget:
        begin = clock()
        for item in items:
            once(item)
        took = clock() - begin
        best = took if best is None else min(best, took)
    return operations, octets, best


def timed(engine, what, data, budget):
    if what == "parse":
        return best_pass(
            range(len(data.texts)),
            lambda i: engine.parse(data.texts[i]),
            lambda i: data.sizes[i],
            budget,
        )
    if what == "compile":
        return best_pass(
            list(data.first.values()),
            lambda q: engine.allows(engine.parse(data.texts[q.file]), q),
            lambda q: data.sizes[q.file],
            budget,
        )
    rules = data.rules
    return best_pass(data.questions, lambda q: engine.allows(rules[q.file], q), lambda q: 0, budget)


def verdict(engine, rules, question):
    try:
        return "1" if engine.allows(rules, question) else "0"
    except Exception:  # whatever a rival throws counts as no answer
        return "?"


def main(engine):
    stream = sys.stdin.buffer
    inputs = {}

    def say(text):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    say("robots-peer 1 " + engine.note)
    for line in stream:
        command, *words = line.decode().split()
        try:
            if command == "input":
                inputs[words[0]] = Input(engine, stream, int(words[1]), int(words[2]))
                say("ready")
            elif command == "time":
                data = inputs[words[1]]
                figures = timed(engine, words[0], data, int(words[2]) * 1_000_000)
                say("timed %d %d %d" % figures)
            elif command == "verdicts":
                data = inputs[words[0]]
                answers = [verdict(engine, data.rules[q.file], q) for q in data.questions]
                say("verdicts " + "".join(answers))
            else:
                say("failed unknown command " + command)
        except Exception as error:  # the harness decides what to make of it
            say("failed " + repr(error).replace("\n", " "))
