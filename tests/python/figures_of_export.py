"""Computes what turnwise prints of runs from their exports alone: `figures_of_export.py FILE...`, each a CSV or JSONL file.

Prints one JSON document. Intervals are computed with the standard library alone.
"""

import csv
import json
import math
import statistics
import sys

OUTSIDE = {"infra-error", "cancelled", "budget-stop", "deadline"}
MODES = ["no-interaction", "sequential", "iterative"]
CATEGORIES = ["conclusive", "interpretive"]
MATCHES = {"conclusive": "eval_long_form_match", "interpretive": "eval_long_form_grade"}


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        if path.endswith(".jsonl"):
            return [json.loads(line) for line in file]
        csv.field_size_limit(sys.maxsize)
        return [{name: cell(name, text) for name, text in row.items()} for row in csv.DictReader(file)]


TEXTS = {"run", "method", "model", "uuid", "question", "answer", "verdict_message", "rationale", "outcome_message"}


def cell(name, text):
    if text == "":
        return None
    if name in TEXTS:
        return text[1:] if text[0] == "'" and text[1:2] and text[1] in "=+-@\t\r" else text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def mean(values):
    return sum(values) / len(values) if values else None


def beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function, after Lentz."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + numerator * d), 1 + numerator / c
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            return value
    return value


def upper_tail(t, df):
    """The probability that Student's t exceeds t > 0."""
    a, b, x = df / 2, 0.5, df / (df + t * t)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(1 - x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a / 2
    return (1 - front * beta_fraction(b, a, 1 - x) / b) / 2


def student(df):
    """Its quantile at 97.5 %."""
    low, high = 1.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if upper_tail(middle, df) > 0.025 else (low, middle)
    return low


Z = statistics.NormalDist().inv_cdf(0.975)


def cluster(item):
    papers = item.get("anchor_pdf") or []
    return papers[0] if papers else json.dumps(item["database"]) if item.get("database") else item["uuid"]


def clusters_of(pairs):
    """The values of each cluster. `pairs`: the name of the cluster, and a value."""
    found = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return list(found.values())


def clustered(groups, least, most):
    """The interval of the mean of values in clusters: jackknife, degrees of freedom of Bell and McCaffrey."""
    values = [value for group in groups for value in group]
    centre, count = mean(values), len(groups)
    if count < 2:
        return {"low": least, "high": most}
    shares = [len(group) / len(values) for group in groups]
    squares = [(sum(v - centre for v in group) / (1 - s)) ** 2 for group, s in zip(groups, shares)]
    error = math.sqrt((count - 1) / count * sum(squares)) / len(values)
    if error < 1e-9:
        missed = 1 - 0.025 ** (1 / count)
        towards = lambda end: centre + missed * (end - centre) if math.isfinite(end) else centre
        return {"low": towards(least), "high": towards(most)}
    squares = [(s / (1 - s)) ** 2 for s in shares]
    crossed = sum(squares) ** 2 - sum(square**2 for square in squares)
    df = sum(s / (1 - s) for s in shares) ** 2 / (sum(squares) + crossed)
    return {"low": max(least, centre - student(df) * error), "high": min(most, centre + student(df) * error)}


def interval(pairs, least=0, most=1):
    """Of a mean of scores; Wilson's where all are at an end of the scale and none is related to another."""
    if not pairs:
        return None
    groups = clusters_of(pairs)
    values = [value for _, value in pairs]
    if len(groups) < len(values) or any(value not in (least, most) for value in values):
        return clustered(groups, least, most)
    n, share = len(values), sum(value == most for value in values) / len(values)
    centre = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    scaled = lambda end: least + (most - least) * end
    return {"low": scaled(0 if share == 0 else centre - half), "high": scaled(1 if share == 1 else centre + half)}


def correlation(category, pairs, independent):
    """Point-biserial or Spearman's, with its interval by Fisher's transformation."""
    ranks = lambda values: [(sum(v < x for v in values) + sum(v <= x for v in values) + 1) / 2 for x in values]
    kind = "point-biserial" if category == "conclusive" else "spearman"
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        return None
    if kind == "spearman":
        xs, ys = ranks(xs), ranks(ys)
    value = statistics.correlation(xs, ys)
    if independent < 4 or abs(abs(value) - 1) < 1e-12:
        return {"kind": kind, "value": value, "interval": None}
    half = Z * math.sqrt((1 + value**2 / 2 if kind == "spearman" else 1) / (independent - 3))
    low, high = (math.tanh(math.atanh(value) + side * half) for side in (-1, 1))
    return {"kind": kind, "value": value, "interval": {"low": low, "high": high}}


def scorable(row):
    item = row["item"]
    return bool(item.get("evaluator") or (item.get("category") and item.get("referenceAnswer")))


def headline(rows):
    own = [row for row in rows if scorable(row)]
    scored = [(cluster(row["item"]), row["score"]) for row in own if row["score"] is not None]
    scores = [score for _, score in scored]
    return {"samples": len(rows), "scored": len(scores), "unresolved": len(own) - len(scores), "mean": mean(scores), "interval": interval(scored)}


def run_figures(rows):
    tags = []
    for row in rows:
        tags += [tag for tag in row["tags"] or ["(none)"] if tag not in tags]
    ended = [row for row in rows if row["outcome"]]
    counts = ["prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens", "calls", "lost_tokens"]
    return {
        "headline": headline(rows),
        "tags": [
            {"group": tag, **headline([row for row in rows if tag in (row["tags"] or ["(none)"])])} for tag in tags
        ],
        "outcomes": {kind: sum(row["outcome"] == kind for row in ended) for kind in {row["outcome"] for row in ended}},
        "usage": {count: sum(row[count] for row in ended) for count in counts},
        "costUsd": sum(row["cost_usd"] or 0 for row in ended),
        "judgeCostUsd": sum(row["judge_cost_usd"] or 0 for row in ended),
        "judgeCalls": sum(row["judge_calls"] or 0 for row in ended),
    }


def native_verdict(row):
    if row["verdict"] is None:
        return None
    if row["verdict"] == "unscored":
        return {"kind": "unscored", "reason": row["unscored_reason"]}
    if row["category"] is None or row["scorer"] != MATCHES[row["category"]]:
        return {"kind": "unscored", "reason": "other-evaluator"}
    return {"kind": "scored", "score": row["score"] if row["raw_score"] is None else row["raw_score"]}


def answer_of(row, agent):
    """The form that `turnwise report --traces` reads."""
    trace = row["trace"] or {"stoppedBy": "agent", "plan": {"text": ""}, "queries": [], "answer": {"text": ""}}
    panels = {}
    for panel in row["panels"] or []:
        if panel.get("open"):
            continue
        sides = {side: panel[side] for side in ("reviewers", "metaReviewers")}
        panels[panel["subTask"]] = {
            **{side: [member["decision"] for member in members] for side, members in sides.items()},
            **({"reversed": panel["reversed"]} if "reversed" in panel else {}),
            "models": {side: [member["model"] for member in members] for side, members in sides.items()},
        }
    return {
        **{name: row[name] for name in ("uuid", "epoch", "category", "outcome")},
        "database": json.dumps(row["item"].get("database")),
        **agent,
        **{name: trace[name] for name in ("stoppedBy", "plan", "queries", "answer")},
        "verdict": native_verdict(row),
        "judges": [judge["model"] for judge in (row["judging"] or {}).get("judges", [])],
        "size": sum(table["rows"] for table in row["database"]["tables"]) if "tables" in (row["database"] or {}) else None,
        "panels": panels,
    }


def score_of(answer):
    verdict = answer["verdict"]
    counts = verdict and verdict["kind"] == "scored" and answer["outcome"] in ("answered", "abstained")
    return verdict["score"] if counts else None


def generated(answer):
    return [query for query in answer["queries"] if query["repairOf"] is None]


def valid(answer):
    return sum(query["status"] == "rows" for query in generated(answer))


def match(answers):
    return mean([score_of(answer) for answer in answers if score_of(answer) is not None])


SCALES = {"conclusive": (0, 1), "interpretive": (1, 5)}


def match_interval(category, answers):
    scored = [answer for answer in answers if score_of(answer) is not None]
    return interval([(answer["database"], score_of(answer)) for answer in scored], *SCALES[category])


def average(answers, measure):
    """The interval of a mean of counts; None for one cluster."""
    groups = clusters_of((answer["database"], measure(answer)) for answer in answers)
    return clustered(groups, 0, math.inf) if len(groups) > 1 else None


def table1(rows):
    items = {row["uuid"]: row["item"] for row in rows}.values()
    databases = {row["database"]["id"]: row["database"]["tables"] for row in rows if row["database"] and "id" in row["database"]}

    def medians(count):
        counts = [[count(table) for table in tables] for tables in databases.values()]
        return {
            "perTable": statistics.median([each for own in counts for each in own]),
            "perDatabase": statistics.median([sum(own) for own in counts]),
        }

    def words(category):
        own = [item["referenceAnswer"] for item in items if item.get("category") == category and "referenceAnswer" in item]
        return mean([len(text.split()) for text in own])

    sizes = {category: sum(item.get("category") == category for item in items) for category in CATEGORIES}
    return {
        "size": len(items),
        **sizes,
        "withoutCategory": len(items) - sum(sizes.values()),
        "referenceWords": {category: words(category) for category in CATEGORIES},
        "databases": len(databases),
        "tables": statistics.median([len(tables) for tables in databases.values()]),
        "columns": medians(lambda table: len(table["columns"])),
        "records": medians(lambda table: table["rows"]),
    }


def category_figures(category, own):
    answered = [answer for answer in own if answer["outcome"] == "answered"]
    unscored = [answer["verdict"] for answer in answered if score_of(answer) is None]
    reasons = [verdict["reason"] if verdict else "not-judged" for verdict in unscored]
    executable = lambda answer: sum(query["status"] in ("rows", "empty") for query in generated(answer))
    measures = {
        "planWords": lambda answer: answer["plan"]["words"],
        "planTokens": lambda answer: answer["plan"]["tokens"],
        "generated": lambda answer: len(generated(answer)),
        "valid": valid,
        "executable": executable,
        "answerWords": lambda answer: answer["answer"]["words"],
        "answerTokens": lambda answer: answer["answer"]["tokens"],
    }
    return {
        "questions": len(own),
        "answered": len(answered),
        "failed": sum(answer["outcome"] in OUTSIDE for answer in own),
        "scored": sum(score_of(answer) is not None for answer in own),
        "unscored": len(unscored),
        "reasons": {reason: reasons.count(reason) for reason in reasons},
        "match": match(own),
        **{name: mean([measure(answer) for answer in answered]) for name, measure in measures.items()},
        "intervals": {
            "match": match_interval(category, own),
            **{name: average(answered, measure) for name, measure in measures.items()},
        },
        "withoutInteraction": sum(not generated(answer) for answer in answered),
        "capped": sum(answer["stoppedBy"] == "cap" for answer in answered),
    }


def by_category(answers, of):
    return {
        category: of(category, [answer for answer in answers if answer["category"] == category])
        for category in CATEGORIES
    }


def pair_figures(before, after):
    def of(category):
        keyed = lambda answers: {
            (answer["uuid"], answer["epoch"]): answer
            for answer in answers
            if answer["category"] == category and answer["outcome"] == "answered"
        }
        one, other = keyed(before), keyed(after)
        common = [(one[key], other[key]) for key in other if key in one]
        both = [(a, b) for a, b in common if None not in (score_of(a), score_of(b))]
        scored = [(score_of(a), score_of(b)) for a, b in both]
        least, most = SCALES[category]
        groups = clusters_of((b["database"], score_of(b) - score_of(a)) for a, b in both)
        return {
            "common": len(common),
            "scored": len(scored),
            "baselineMatch": mean([a for a, _ in scored]),
            "match": mean([b for _, b in scored]),
            "difference": mean([b - a for a, b in scored]),
            "interval": clustered(groups, least - most, most - least) if len(groups) > 1 else None,
        }

    return {category: of(category) for category in CATEGORIES}


def kappa(sides):
    size = len(sides[0])
    counts = [(side.count("perfect"), size - side.count("perfect")) for side in sides]
    agreed = mean([sum(count * (count - 1) for count in row) / (size * (size - 1)) for row in counts])
    expected = sum(mean([row[at] / size for row in counts]) ** 2 for at in (0, 1))
    return None if expected == 1 else (agreed - expected) / (1 - expected)


def side_figures(panels, side):
    complete = [(of, panel[side]) for of, panel in panels if panel[side] and None not in panel[side]]
    sides = [decisions for _, decisions in complete]
    perfect = [(of, decisions.count("perfect") / len(decisions)) for of, decisions in complete]
    alike = [(of, int(len(set(decisions)) == 1)) for of, decisions in complete]
    return {
        "panels": len(sides),
        "perfectRate": mean([share for _, share in perfect]),
        "agreement": mean([share for _, share in alike]),
        "kappa": kappa(sides) if sides else None,
        "intervals": {"perfectRate": interval(perfect), "agreement": interval(alike)},
    }


def panel_figures(agent, answers):
    for task in ("IP", "TE", "IS"):
        panels = [(answer["database"], answer["panels"][task]) for answer in answers if task in answer["panels"]]
        if not panels:
            continue
        won = lambda decisions: int(decisions.count("perfect") * 2 > len(decisions))
        perfect = [(of, won(panel["metaReviewers"])) for of, panel in panels]
        yield {
            **agent,
            "subTask": task,
            "reviewers": side_figures(panels, "reviewers"),
            "metaReviewers": side_figures(panels, "metaReviewers"),
            "reviewed": len(panels),
            "outcomeRate": mean([each for _, each in perfect]),
            "outcomeInterval": interval(perfect),
        }


def bins(category, answers):
    used = [a for a in answers if a["method"] != "no-interaction" and a["outcome"] == "answered" and score_of(a) is not None]
    found = {}
    for answer in used:
        found.setdefault(min(6, valid(answer)), []).append(answer)
    return {
        "bins": [
            {
                "valid": "6+" if at == 6 else str(at),
                "count": len(own),
                "mean": match(own),
                "interval": match_interval(category, own),
            }
            for at, own in sorted(found.items())
        ],
        "correlation": correlation(
            category,
            [(valid(answer), score_of(answer)) for answer in used],
            len({answer["uuid"] for answer in used}),
        ),
    }


def match_figures(category, own):
    return {"mean": match(own), "interval": match_interval(category, own)}


def database_figures(runs):
    agents = []
    for rows in runs:
        models = sorted({row["model"] for row in rows if row["outcome"]})
        agent = {"model": ", ".join(models), "method": rows[0]["method"]}
        answers = [answer_of(row, agent) for row in rows if row["outcome"]]
        agents.append(({"run": rows[0]["run"], **agent}, answers))
    pairs = [
        {**other, "baseline": one, **pair_figures(before, after)}
        for one, before in agents
        for other, after in agents
        if one["model"] == other["model"] and MODES.index(one["method"]) < MODES.index(other["method"])
    ]
    table4 = [row for agent, answers in agents for row in panel_figures(agent, answers)]
    everything = [answer for _, answers in agents for answer in answers]
    as_bins = lambda answers: [
        {"category": category, **figures} for category, figures in by_category(answers, bins).items()
    ]
    return {
        "table1": table1(runs[0]),
        "table2": [{**agent, **by_category(answers, category_figures)} for agent, answers in agents],
        "table3": [pair for pair in pairs if pair["baseline"]["method"] == "no-interaction"],
        "modes": [pair for pair in pairs if pair["baseline"]["method"] != "no-interaction"],
        "table4": table4,
        "figure3": {
            "agents": [
                {**agent, **by_category(answers, match_figures)} for agent, answers in agents
            ],
        },
        "figure4": as_bins(everything),
        "figure4ByAgent": [
            {**agent, "bins": as_bins(answers)} for agent, answers in agents if agent["method"] != "no-interaction"
        ],
        "figure5": [
            {**{name: row[name] for name in ("run", "model", "method", "subTask")}, "panels": row["reviewed"], "rate": row["outcomeRate"], "interval": row["outcomeInterval"]}
            for row in table4
        ],
        "answers": everything,
    }


runs = [rows_of(path) for path in sys.argv[1:]]
print(
    json.dumps(
        {
            "runs": [run_figures(rows) for rows in runs],
            "databases": database_figures(runs) if all(row["method"] in MODES for rows in runs for row in rows) else None,
        }
    )
)
