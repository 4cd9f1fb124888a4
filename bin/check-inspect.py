"""Compares a log of Inspect AI with the files of the run it was exported from: RUN_FOLDER LOG."""

import gzip
import json
import math
import sys
from pathlib import Path

from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries

run, path = Path(sys.argv[1]), sys.argv[2]
flaws: list[str] = []


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (run / name).read_text().split("\n") if line]


def expect(what: str, found: object, wanted: object) -> None:
    close = isinstance(wanted, float) and isinstance(found, float | int)
    if not (math.isclose(found, wanted, abs_tol=1e-9) if close else found == wanted):
        flaws.append(f"{what}: {found!r}, and should be {wanted!r}")


def records(folder: Path) -> dict[str, dict]:
    """What a folder of turns holds by the names of its records, packed when the question ended or each a file."""
    found = {file.name: json.loads(file.read_text()) for file in folder.glob("*.json")}
    for pack in folder.glob("pack*.jsonl.gz"):
        for line in gzip.decompress(pack.read_bytes()).decode().rstrip("\n").split("\n"):
            packed = json.loads(line)
            found[packed["name"]] = packed["record"]
    return found


manifest = json.loads((run / "manifest.json").read_text())
results = lines("results.jsonl")
ended = {(result["uuid"], result["epoch"]) for result in results}
scores = {
    (score["uuid"], score["epoch"]): score
    for score in lines("scores.jsonl")
    if (score["uuid"], score["epoch"]) in ended
}
items = {item["uuid"]: item for item in lines("dataset.jsonl")}

log = read_eval_log(path)
samples = {(str(sample.id), sample.epoch): sample for sample in log.samples or []}
numbers = [score["score"] for score in scores.values() if score["score"] is not None]

expect("status", log.status, {"done": "success", "running": "started"}[manifest["status"]])
expect("questions", sorted(samples), sorted(ended))
expect("questions in all", log.results.total_samples, len(items) * manifest["config"]["epochs"])
expect("scored", log.results.scores[0].scored_samples, len(numbers))
expect("unscored", log.results.scores[0].unscored_samples, len(results) - len(numbers))
expect("mean", log.results.scores[0].metrics["mean"].value, sum(numbers) / len(numbers))
expect("epochs", log.eval.config.epochs, manifest["config"]["epochs"])
expect("model", log.eval.model, manifest["config"]["model"]["name"])

limits = {
    "turn-limit": "turn",
    "context-overflow": "context",
    "budget-stop": "token",
    "deadline": "time",
    "cancelled": "operator",
}
for result in results:
    key = (result["uuid"], result["epoch"])
    name = f"question {key[0]}"
    sample = samples[key]
    usage = result["usage"]
    counted = list(sample.model_usage.values())
    expect(f"{name}: models", len(counted), 1)
    expect(f"{name}: tokens", counted[0].total_tokens, usage["promptTokens"] + usage["completionTokens"])
    expect(f"{name}: prompt", counted[0].input_tokens + counted[0].input_tokens_cache_read, usage["promptTokens"])
    expect(f"{name}: cost", counted[0].total_cost, result["costUsd"])
    expect(f"{name}: question", sample.input, items[key[0]]["question"])
    expect(f"{name}: answer", sample.output.completion, result["answer"] or "")
    score = scores[key]["score"]
    expect(f"{name}: score", None if sample.scores is None else sample.scores["score"].value, score)
    kind = result["outcome"]["kind"]
    expect(f"{name}: outcome", sample.metadata["outcome"], kind)
    expect(f"{name}: limit", sample.limit and sample.limit.type, limits.get(kind))
    expect(f"{name}: error", sample.error is not None, kind == "infra-error")
    epoch = "" if key[1] == 1 else f".e{key[1]}"
    stored = records(run / "turns" / f"{key[0]}{epoch}")
    turns = sorted(name for name in stored if name.endswith(".reply.json"))
    calls = [event for event in sample.events if event.event == "model"]
    expect(f"{name}: calls", len(calls), len(turns))
    for turn, call in zip(turns, calls):
        reply = stored[turn]
        expect(f"{name}: {turn}", call.output.message.text, reply["raw"])
        expect(f"{name}: {turn}: tokens", call.output.usage.output_tokens, reply["tokens"]["completion"])
        expect(f"{name}: {turn}: prompt", [message.role for message in call.input][:2], ["system", "user"])
    observations = [name for name in stored if name.endswith(".observation.json")]
    tools = [event for event in sample.events if event.event == "tool"]
    expect(f"{name}: tools", len(tools), len(observations))
    conversation = lines(f"trajectories/{key[0]}{epoch}.jsonl")
    expect(f"{name}: messages", len(sample.messages), len(conversation))
    expect(f"{name}: tool calls", sum(len(m.tool_calls or []) for m in sample.messages if m.role == "assistant"), len(turns))

summaries = read_eval_log_sample_summaries(path)
expect("summaries", sorted((str(each.id), each.epoch) for each in summaries), sorted(ended))
one = sorted(ended)[0]
expect("one question by itself", str(read_eval_log_sample(path, one[0], one[1]).id), one[0])

for flaw in flaws:
    print(f"  {flaw}", file=sys.stderr)
print(f"  {Path(path).name}: {len(results)} questions, {len(numbers)} scored, {len(flaws)} flaws")
sys.exit(1 if flaws else 0)
