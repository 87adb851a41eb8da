"""Python's own urllib.robotparser as a peer."""

import platform
from urllib.robotparser import RobotFileParser

import peer


class Engine:
    note = "Python %s urllib.robotparser" % platform.python_version()

    def decode(self, octets):
        # RobotFileParser.read() decodes with surrogateescape since Python 3.13.
        return octets.decode("utf-8", "surrogateescape")

    def parse(self, text):
        rules = RobotFileParser()
        rules.parse(text.splitlines())
        return rules

    def allows(self, rules, question):
        return rules.can_fetch(question.agent, question.url)


peer.main(Engine())
