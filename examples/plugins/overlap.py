"""Scores answers by the words that they share with the gold answer: a line of JSON in, a line of JSON out."""

import json
import re
import sys


def words(text):
    return set(re.findall(r"\w+", text.lower()))


for line in sys.stdin:
    asked = json.loads(line)
    wanted = words(asked["gold"])
    found = wanted & words(asked["answer"])
    reply = {"score": len(found) / len(wanted), "reason": f"{len(found)} of {len(wanted)} words"}
    print(json.dumps(reply), flush=True)
