"""Reads the runs of turnwise into pandas: one file, without other requirements.

    import turnwise_runs
    run = turnwise_runs.open_run("first")
    run.answers.groupby("outcome").score.mean()

Copy this file beside your notebook, or add its folder to PYTHONPATH. It reads the folder of a run as it is at the moment,
also while the run goes on, and changes nothing. Runs in an object store have to be copied into a folder first.
"""

import gzip
import json
from pathlib import Path

import pandas as pd

__all__ = ["Run", "RunNotFound", "list_runs", "open_run"]


class RunNotFound(Exception):
    """There is no such run, or its folder is no folder of a run."""


def list_runs(home=".turnwise"):
    """One row for each run, oldest first: run, status, method, model, store, dataset, questions, epochs, started_at, ended_at.

    home -- TURNWISE_HOME
    """
    manifests = [
        _json(path) for path in Path(home, "runs").glob("*/manifest.json") if path.is_file()
    ]
    rows = [
        {
            "run": each["run"],
            "status": each["status"],
            "method": each["config"]["method"],
            "model": each["config"]["model"]["name"],
            "store": (each["store"] or {}).get("name"),
            "dataset": each["dataset"]["path"],
            "questions": each["dataset"]["items"],
            "epochs": each["config"]["epochs"],
            "started_at": each["startedAt"],
            "ended_at": each["endedAt"],
        }
        for each in sorted(manifests, key=lambda manifest: manifest["startedAt"])
    ]
    columns = "run status method model store dataset questions epochs started_at ended_at".split()
    return _with_times(pd.DataFrame(rows, columns=columns))


def open_run(run, home=".turnwise"):
    """A run by its id in a home, or by the path of its folder. Raises RunNotFound."""
    for folder in (Path(home, "runs", str(run)), Path(run)):
        if (folder / "manifest.json").is_file():
            return Run(folder)
    raise RunNotFound(f"there is no run {run} in {home}, and no folder of a run of this name")


class Run:
    """A run. Each property reads its files anew."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def __repr__(self):
        return f"Run({str(self.folder)!r})"

    @property
    def manifest(self):
        """Everything that is needed to repeat the run, as a dict."""
        return _json(self.folder / "manifest.json")

    @property
    def questions(self):
        """One row for each question of the dataset, with all its fields as they are."""
        return pd.DataFrame(_lines(self.folder / "dataset.jsonl"))

    @property
    def results(self):
        """One row for each ended question and epoch, in the order in which they ended.

        uuid, epoch, answer (None without one), outcome, failure, turns, calls, prompt_tokens, completion_tokens, cost_usd (NaN
        if unknown), model, started_at, ended_at (UTC), seconds.
        """
        rows = []
        for each in _lines(self.folder / "results.jsonl"):
            usage, outcome = each["usage"], each["outcome"]
            rows.append(
                {
                    "uuid": each["uuid"],
                    "epoch": each["epoch"],
                    "answer": each["answer"],
                    "outcome": outcome["kind"],
                    "failure": outcome.get("failure"),
                    "turns": each["turns"],
                    "calls": usage["calls"],
                    "prompt_tokens": usage["promptTokens"],
                    "completion_tokens": usage["completionTokens"],
                    "cost_usd": each["costUsd"],
                    "model": each["model"],
                    "started_at": each["startedAt"],
                    "ended_at": each["endedAt"],
                }
            )
        columns = (
            "uuid epoch answer outcome failure turns calls prompt_tokens completion_tokens cost_usd model"
            " started_at ended_at"
        ).split()
        frame = _with_times(pd.DataFrame(rows, columns=columns))
        frame["cost_usd"] = frame["cost_usd"].astype(float)
        frame["seconds"] = (frame["ended_at"] - frame["started_at"]).dt.total_seconds()
        return frame

    @property
    def scores(self):
        """One row for each ended question and epoch: uuid, epoch, score, scorer, reason, unscored_reason.

        score is from 0 to 1, and NaN if the answer is unscored: such answers enter no mean. unscored_reason says why.
        """
        rows = []
        for each in _lines(self.folder / "scores.jsonl"):
            verdict = each["verdict"]
            is_scored = verdict["kind"] == "scored"
            rows.append(
                {
                    "uuid": each["uuid"],
                    "epoch": each["epoch"],
                    "score": each["score"],
                    "scorer": each["scorer"],
                    "reason": verdict.get("rationale" if is_scored else "message"),
                    "unscored_reason": None if is_scored else verdict["reason"],
                }
            )
        frame = pd.DataFrame(rows, columns="uuid epoch score scorer reason unscored_reason".split())
        frame["score"] = frame["score"].astype(float)
        return frame

    @property
    def answers(self):
        """The results with their scores and their questions: one row for each ended question and epoch."""
        fields = [name for name in ("question", "tags") if name in self.questions]
        questions = self.questions[["uuid", *fields]] if fields else None
        frame = self.results.merge(self.scores, on=["uuid", "epoch"], how="left")
        return frame if questions is None else frame.merge(questions, on="uuid", how="left")

    @property
    def turns(self):
        """One row for each turn of the ended questions, in the order of the results.

        uuid, epoch, turn (from 1), thought, action (None if the reply holds none), arguments (a dict), error, observation,
        reply, model, prompt_tokens, completion_tokens, cost_usd, started_at, ended_at (UTC).
        """
        rows = []
        for result in _lines(self.folder / "results.jsonl"):
            records = _records(self.folder, result)
            for turn in range(1, result["turns"] + 1):
                reply = records(f"{turn:03}.reply.json")
                if reply is not None:
                    rows.append(_turn(result, reply, records(f"{turn:03}.observation.json")))
        columns = (
            "uuid epoch turn thought action arguments error observation reply model prompt_tokens"
            " completion_tokens cost_usd started_at ended_at"
        ).split()
        return _with_times(pd.DataFrame(rows, columns=columns))


def _turn(result, reply, observation):
    reading = reply["reading"]
    action = reading.get("action")
    tokens = reply["tokens"] or {}
    return {
        "uuid": result["uuid"],
        "epoch": result["epoch"],
        "turn": reply["turn"],
        "thought": reading.get("thought"),
        "action": None if action is None else action.get("name", action["kind"]),
        "arguments": None if action is None else _arguments(action),
        "error": reading.get("error"),
        "observation": None if observation is None else observation["content"],
        "reply": reply["raw"],
        "model": reply["model"],
        "prompt_tokens": tokens.get("prompt"),
        "completion_tokens": tokens.get("completion"),
        "cost_usd": reply.get("costUsd"),
        "started_at": reply["startedAt"],
        "ended_at": reply["endedAt"],
    }


def _arguments(action):
    """The arguments of an action as texts; numbers and lists are in the notation of Python."""
    if action["kind"] == "PluginAction":
        return {field["name"]: _text(field["value"]) for field in action["fields"]}
    return {name: _text(value) for name, value in action.items() if name != "kind"}


def _text(value):
    if isinstance(value, dict):
        return value["text"] if value["kind"] == "text" else value["source"]
    return value


def _records(folder, result):
    """A function that gives a record of the question's turns by its name. They are packed when the question has ended."""
    base = folder / "turns" / Path(result["trajectory"]).stem
    turns_of = 1
    # A question that was asked anew has the turns of each asking in a folder of its own.
    for asking in range(2, result.get("asking", 1) + 1):
        begun = base / f"asking-{asking}.json"
        if begun.is_file() and _json(begun)["anew"]:
            turns_of = asking
    place = base if turns_of == 1 else base / f"asking-{turns_of}"
    packed = {}
    for pack in sorted(place.glob("pack*.jsonl.gz")):
        with gzip.open(pack, "rt", encoding="utf-8") as lines:
            for line in lines:
                each = json.loads(line)
                packed.setdefault(each["name"], each["record"])

    def record(name):
        if name in packed:
            return packed[name]
        return _json(place / name) if (place / name).is_file() else None

    return record


def _with_times(frame):
    for name in ("started_at", "ended_at"):
        frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601")
    return frame


def _json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def _lines(path):
    """The whole lines of a JSONL file: the last one may still be written."""
    if not path.is_file():
        return []
    whole = path.read_text(encoding="utf-8").rpartition("\n")[0]
    return [json.loads(line) for line in whole.split("\n") if line.strip()]
