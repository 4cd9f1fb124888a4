"""An agent over papers: the model takes one action a turn, as JSON, until it answers."""

import json

from turnwise_agent import Turnwise

turnwise = Turnwise()
task = turnwise.task
schemas = task["schemas"] or {"database": "", "vectorstore": ""}
prompt = f"""Answer a question about research papers. Write one action a turn, as one JSON object behind a thought.

### Syntax and Parameters (JSON Format)
{{"action_type": "RetrieveFromDatabase", "parameters": {{"sql": "a SELECT in DuckDB's SQL"}}}}
{{"action_type": "ClassicRetrieve", "parameters": {{"query": "what to search for in all papers", "limit": 5}}}}
{{"action_type": "GenerateAnswer", "parameters": {{"answer": "the answer alone, in the answer format"}}}}

[Question]: {task["question"]}
[Answer Format]: {task["answer_format"]}
[Anchor PDF]: {", ".join(task["anchor_pdf"])}
{schemas["database"]}"""
messages = [{"role": "user", "content": prompt}]
while True:
    reply = turnwise.model(messages)
    messages.append({"role": "assistant", "content": reply})
    try:
        action = json.loads(reply[reply.index("{") : reply.rindex("}") + 1])
        name, parameters = action["action_type"], action["parameters"]
    except (ValueError, KeyError):
        observation = "Write one JSON object with action_type and parameters."
    else:
        if name == "GenerateAnswer":
            turnwise.answer(parameters.get("answer", ""))
        observation = turnwise.action(name, **parameters)
    messages.append({"role": "user", "content": observation})
