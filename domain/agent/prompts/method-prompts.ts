import { repr, pythonFromJson } from '../../formats/python/value.js';
import { fillPrompt, toldBy, type PromptTexts } from '../../models/prompt-file.js';
import { renderStoreSchema } from '../../stores/database-schema.js';
import type { StoreManifest } from '../../stores/store-manifest.js';
import { renderVectorstoreSchema } from '../../stores/vectorstore-schema.js';
import { renderActionSpace, renderActionSpecs } from '../actions/action-formats.js';
import type { ExampleStore } from '../actions/store-examples.js';
import type {
  IterativeMethod,
  TwoStageMethod,
  AgentConfig,
  AskedItem,
  SchemaBlock,
  TurnSettings,
} from '../turn-plan.js';
import { taskDescription } from './prompt-texts.js';

const inputsOfAny = ['question', 'answerFormat'] as const;
const inputsOverPapers = [...inputsOfAny, 'anchorIds', 'conference'] as const;

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
      ...(about === 'tables' ? inputsOfAny : inputsOverPapers),
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
    inputs: describeInputs(
      prompts,
      ...inputsOverPapers,
      ...schemas.map((block) => schemaInputs[block]),
    ),
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

/** Explanations of the labels in a task. A prompt lists those that its method uses. */
export const taskInputs = {
  question: '[Question]: what is asked.',
  answerFormat:
    '[Answer Format]: the form the final answer must have. It is checked by a program, so follow it to the letter.',
  anchorIds:
    '[Anchor PDF]: the id of the paper the question is about. Several ids are listed under [Anchor PDFs].',
  anchorTitles:
    '[Anchor PDF]: the title of the paper the question is about. Several titles are listed under [Anchor PDFs].',
  referenceIds:
    '[Reference PDF]: the id of a paper that the answer may need, too. Several ids are listed under [Reference PDFs].',
  conference:
    '[Conference]: where the papers in question were published, with the year. Several are listed under [Conferences].',
  database:
    '[Database Schema]: the tables of the database with their columns, types, meaning and keys.',
  vectorstore:
    '[Vectorstore Schema]: the collections of the vectorstore, their fields, the cells of the database that were embedded, and the operators a filter may use.',
  context: '[Context]: what was found about the question beforehand.',
  graphQuery: '[Query]: what was asked about the question so far, in this order.',
  graphAnswer: '[Answer]: what came back.',
} as const;
type TaskInput = keyof typeof taskInputs;

export const describeInputs = (prompts: PromptTexts, ...inputs: readonly TaskInput[]): string =>
  inputs.map((input) => prompts[`input.${input}`] ?? taskInputs[input]).join('\n');

/** The data of a store that schema blocks are rendered from. */
export type PromptStore = Pick<StoreManifest, 'name' | 'collections' | 'database'> & {
  /** The id of a paper that it holds. */
  readonly paper?: string | undefined;
};

/** The schema block of a task, with its label. */
export function schemaBlock(
  block: SchemaBlock,
  store: PromptStore,
  { strict }: { readonly strict: boolean },
): string {
  switch (block) {
    case 'database':
      return `[Database Schema]: ${renderStoreSchema(store)}`;
    case 'vectorstore':
      return `[Vectorstore Schema]: ${renderVectorstoreSchema(store, 'bare', !strict)}`;
    case 'described-vectorstore':
      return `[Vectorstore Schema]: ${renderVectorstoreSchema(store, 'described', !strict)}`;
  }
}

/** The label that each schema block has in the prompt. */
const schemaInputs = {
  database: 'database',
  vectorstore: 'vectorstore',
  'described-vectorstore': 'vectorstore',
} as const satisfies Readonly<Record<SchemaBlock, TaskInput>>;

/** How a task names its papers; `none` names neither papers nor conference. */
type PaperNames =
  | { readonly kind: 'ids' }
  /** By paper id; a paper without a title is named by its id. */
  | { readonly kind: 'titles'; readonly titles: Readonly<Record<string, string>> }
  | { readonly kind: 'none' };

/**
 * The task as the model reads it: labelled blocks in a fixed order (docs/reference/hybrid-agent.md, "The task message").
 * Empty blocks are left out. Papers are quoted as Python strings, conferences are not.
 */
export function taskMessage(
  item: AskedItem,
  names: PaperNames,
  blocks: readonly string[] = [],
  { references = false }: Pick<TurnSettings, 'references'> = {},
): string {
  const named = references ? item : { ...item, reference_pdf: [] };
  const task = [
    `[Question]: ${item.question}`,
    `[Answer Format]: ${item.answer_format}`,
    ...(names.kind === 'none' ? [] : paperBlocks(named, names)),
  ].join('\n');
  return [task.trimEnd(), ...blocks].join('\n');
}

function paperBlocks(
  { anchor_pdf: anchors, reference_pdf: references, conference }: AskedItem,
  names: Exclude<PaperNames, { readonly kind: 'none' }>,
): readonly string[] {
  const nameOf = (id: string): string => (names.kind === 'titles' ? (names.titles[id] ?? id) : id);
  const quoted = (id: string): string => repr(pythonFromJson(nameOf(id)));
  return [
    ...listBlock('Anchor PDF', anchors, quoted),
    ...listBlock('Reference PDF', references, quoted),
    ...listBlock('Conference', conference, (name) => name),
  ];
}

function listBlock(
  label: string,
  entries: readonly string[],
  render: (entry: string) => string,
): string[] {
  const [first] = entries;
  if (first === undefined) return [];
  return entries.length === 1
    ? [`[${label}]: ${render(first)}`]
    : [`[${label}s]: [${entries.map(render).join(', ')}]`];
}
