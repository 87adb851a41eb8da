"""Protego (Scrapy's parser) as a peer."""

import sys

import peer

try:
    from protego import Protego
except ImportError:
    print("failed this Python has no Protego; Debian: python3-protego")
    sys.exit()


class Engine:
    note = "Protego (Python)"

    def decode(self, octets):
        return octets.decode("utf-8", "ignore")

    def parse(self, text):
        return Protego.parse(text)

    def allows(self, rules, question):
        return rules.can_fetch(question.url, question.agent)


peer.main(Engine())
