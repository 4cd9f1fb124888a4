import { fillPrompt, toldBy, type PromptTexts } from '../../models/prompt-file.js';
import { renderActionSpace, renderActionSpecs } from '../actions/action-formats.js';
import type { ExampleStore } from '../actions/store-examples.js';
import type { IterativeMethod, TwoStageMethod } from '../method.js';
import type { AgentConfig } from '../turn-plan.js';
import { taskDescription } from './prompt-texts.js';
import { describeInputs, schemaInputs, type PromptStore, type TaskInput } from './task-message.js';

const inputsOfAny = ['question', 'answerFormat'] as const;
const taskInputs = [...inputsOfAny, 'anchorIds', 'conference'] as const;

export const numbered = (hints: readonly string[]): string =>
  hints.map((hint, index) => `${index + 1}. ${hint}`).join('\n');

/** The system message of an iterative method. */
export const iterativeSystemMessage = (
  { role, actions, schemas, hints, about }: IterativeMethod,
  { method, prompts = {}, actionFormat, maxTurns, references = false }: AgentConfig,
  store: ExampleStore,
): string =>
  fillPrompt(prompts[method] ?? iterativeSystem, {
    role,
    inputs: describeInputs(
      prompts,
      ...(about === 'tables' ? inputsOfAny : taskInputs),
      ...(references ? (['referenceIds'] as const) : []),
      ...schemas.map((block) => schemaInputs[block]),
    ),
    actionSpace: renderActionSpace(actions, actionFormat, store, about, prompts),
    framework: toldBy(stageTexts, prompts)(actionFormat === 'tools' ? 'frame.tools' : 'frame.text'),
    hints: numbered(hints),
    maxTurns: String(maxTurns),
  });

/** The message of the first stage of a two-stage method. */
export const retrievalMessage = (
  { role, schemas, retrieval }: TwoStageMethod,
  task: string,
  { method, prompts = {}, actionFormat }: AgentConfig,
  store: PromptStore,
): string =>
  fillPrompt(prompts[method] ?? retrievalPrompt, {
    role,
    inputs: describeInputs(prompts, ...taskInputs, ...schemas.map((block) => schemaInputs[block])),
    task,
    ...retrievalTexts(retrieval, actionFormat === 'tools', store, prompts),
  });

function retrievalTexts(
  retrieval: TwoStageMethod['retrieval'],
  tools: boolean,
  store: PromptStore,
  prompts: PromptTexts,
): { readonly instructions: string; readonly request: string } {
  const told = toldBy(stageTexts, prompts);
  if (retrieval.kind === 'sql')
    return { instructions: told('retrieval.sql'), request: told('request.sql') };
  const { actions } = retrieval;
  if (tools) {
    const instructions = renderActionSpace(actions, 'tools', store, 'papers', prompts);
    return { instructions, request: told('request.tools') };
  }
  // As in the reference system, no list of names precedes the specification of a single action.
  const space = actions.length > 1 ? renderActionSpace : renderActionSpecs;
  const instructions = space(actions, 'json', store, 'papers', prompts).trim();
  return { instructions, request: told('request.action') };
}

/** The message that asks for the answer in one call. @param inputs - what the task has beside the question and its format */
export const answerMessage = (
  role: string,
  task: string,
  inputs: readonly TaskInput[],
  { method, prompts = {} }: AgentConfig,
  part: '' | '.answer' = '',
): string =>
  fillPrompt(prompts[`${method}${part}`] ?? answerPrompt, {
    role,
    inputs: describeInputs(prompts, ...inputsOfAny, ...inputs),
    task,
  });

/** The system prompt of iterative methods. Method, action format and turn limit fill the placeholders. */
export const iterativeSystem = `{{role}} You work in turns. In each turn you choose one action, it is carried out for you, and you see what came of it. Keep going until the evidence you have seen settles the question, then give the answer in the format that was asked for.

${taskDescription}

{{actionSpace}}

--------

{{framework}}

--------

## Suggestions or Hints for Agent Interaction
{{hints}}

You have at most {{maxTurns}} turns for the question.
`;

/** Explains the sequence of thoughts, actions and observations. */
const withText = `## Interaction Framework
The conversation goes like this:

----

[Thought]: why the next action is the right one
[Action]: one action, written exactly as specified above
[Observation]: what came of it

... more rounds of the same three parts ...

[Thought]: why the evidence is now sufficient
[Action]: GenerateAnswer, which ends the task

----

You write one [Thought] and one [Action] in each turn, nothing after the action. The [Observation] is written for you: never write one yourself.`;

const withTools = `## Interaction Framework
In each turn you say in a sentence or two why the next action is the right one, and call one tool. You are then told what came of the call. Turns follow each other until you call GenerateAnswer, which ends the task. Call one tool at a time; a turn without a call is lost.`;

/** Asks for the answer in one call. */
export const answerPrompt = `{{role}}

${taskDescription}

This is the task:

{{task}}

First reason step by step about what the question asks and what speaks for which answer. Then give the final answer, and nothing but the answer, inside a code fence that begins with \`\`\`txt and ends with \`\`\`:

\`\`\`txt
the final answer, in the form the answer format asks for
\`\`\`
`;

/** Asks for one retrieval; a second prompt answers from its result. */
export const retrievalPrompt = `{{role}} What you retrieve is shown to somebody else, who answers the question from it alone. There is only one attempt: nothing can be corrected afterwards.

${taskDescription}

{{instructions}}

--------

This is the task:

{{task}}

{{request}}
`;

const sqlInstructions = `## Hints
1. Write one SELECT statement in the DuckDB dialect. Only tables and columns of the schema exist.
2. Texts vary between papers: prefer ILIKE with a part of the wording to an exact comparison.
3. Select the columns that hold evidence rather than ids, and limit the rows: long results are cut.`;

const sqlRequest = `First reason about which tables and columns hold the evidence. Then write the statement inside a code fence:

\`\`\`sql
SELECT ...
\`\`\``;

const actionRequest = `First reason about what would settle the question. Then write one action, exactly as specified above, inside a code fence:

\`\`\`json
{"action_type": ..., "parameters": {...}}
\`\`\``;

const toolRequest = `First reason about what would settle the question. Then call one tool.`;

/** What the prompts of several methods have in one of their places. */
export const stageTexts = {
  'frame.text': withText,
  'frame.tools': withTools,
  'retrieval.sql': sqlInstructions,
  'request.sql': sqlRequest,
  'request.action': actionRequest,
  'request.tools': toolRequest,
} as const;
