/** Said to an agent that works in turns. The places are filled from the method, the run's format and its limit. */
export const iterativeSystem = `{{role}} You work in turns. In each turn you choose one action, it is carried out for you, and you see what came of it. Keep going until the evidence you have seen settles the question, then give the answer in the format that was asked for.

--------

## Task Description
A task is made of these parts. Parts that do not apply are left out.

{{inputs}}

--------

{{actionSpace}}

--------

{{framework}}

--------

## Suggestions or Hints for Agent Interaction
{{hints}}

You have at most {{maxTurns}} turns for the question.
`;
