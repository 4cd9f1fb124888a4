"""Talks to turnwise from an agent of your own: JSON lines on stdin and stdout (docs/how-to/own-agent.md).

turnwise may start the program again and tell it all earlier results, so what it asks for must depend on these alone: no
clock, no random numbers without a fixed seed. Print to stderr, never to stdout.
"""

import json
import sys


class Turnwise:
    def __init__(self):
        self.task = self._read()

    def model(self, messages):
        """The text of the model's reply. `messages`: dicts with a `role` (system, user, assistant) and a `content`."""
        return self._ask({"model": {"messages": messages}})["reply"]

    def sql(self, statement):
        """What a SELECT returns, as a text, or what is wrong with it."""
        return self._observe({"sql": statement})

    def search(self, query, limit=4):
        """The passages of the store that are nearest to a text."""
        return self._observe({"search": query, "limit": limit})

    def action(self, action_type, **parameters):
        """Any action that turnwise has."""
        return self._observe({"action": {"action_type": action_type, "parameters": parameters}})

    def answer(self, value):
        """Ends the question, and this program."""
        self._write({"answer": value})
        sys.exit(0)

    def _observe(self, request):
        result = self._ask(request)
        return result.get("observation") or result.get("error", "")

    def _ask(self, request):
        self._write(request)
        return self._read()

    def _write(self, request):
        print(json.dumps(request), flush=True)

    def _read(self):
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        return json.loads(line)
