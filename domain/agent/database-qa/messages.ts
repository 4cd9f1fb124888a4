import type { ChatMessage, Message } from '../../models/chat-message.js';
import type { DatabaseMethod } from '../turn-plan.js';
import type { QuestionMaterial } from '../question-context.js';
import type { FinishedTurn } from '../turn-record.js';
import {
  instructions,
  failedQueries,
  queriesOf,
  stageOf,
  stepsOf,
  type DatabaseStage,
} from './prompts.js';
import { renderQueries } from './query-results.js';

/**
 * The request of a turn: one message with the schema, the instructions of its stage, the question and what is known so far. The
 * schema and the rows stand first, because providers cache the beginning that the questions over a database share.
 */
export function databaseMessages(
  { mode }: DatabaseMethod,
  material: QuestionMaterial,
  turn: number,
  turns: readonly FinishedTurn[],
): readonly ChatMessage[] {
  const { item, manifest, database, questionContext } = material;
  const stage = stageOf(mode, turn, turns, manifest.config);
  const { prompts = {}, method } = manifest.config;
  const content = [
    `[Database Schema]:\n${database ?? ''}`,
    ...(questionContext?.context == null ? [] : [`[Rows]:\n${questionContext.context}`]),
    prompts[`${method}.${stage}`] ?? instructions(mode, stage),
    ...(item.answer_format === '' ? [] : [`[Answer Format]: ${item.answer_format}`]),
    `[Question]: ${item.question}`,
    ...knownSoFar(mode, stage, turns),
  ].join('\n\n');
  return [{ role: 'user', content }];
}

function knownSoFar(
  mode: DatabaseMethod['mode'],
  stage: DatabaseStage,
  turns: readonly FinishedTurn[],
): readonly string[] {
  if (mode === 'no-interaction') return [];
  if (mode === 'iterative') {
    const rounds = `[Rounds]:\n${renderRounds(turns) || '(none yet)'}`;
    return stage === 'query' ? [rounds, `[Need]: ${planText(turns.slice(-1))}`] : [rounds];
  }
  const plan = [`[Plan]:\n${planText(turns) || '(the plan is empty)'}`];
  switch (stage) {
    case 'plan':
      return [];
    case 'repairs':
      return [...plan, `[Failed Queries]:\n${renderQueries(failedQueries(turns).map(alone))}`];
    case 'answer':
      return [...plan, `[Queries and Results]:\n${renderQueries(queriesOf(turns))}`];
    case 'need':
    case 'queries':
    case 'query':
      return plan;
  }
}

const alone = ({ query }: ReturnType<typeof failedQueries>[number]) => ({
  ...query,
  repairOf: null,
});

/** The plans or needs of finished turns, a line each. */
export const planText = (turns: readonly FinishedTurn[]): string =>
  stepsOf(turns)
    .flatMap((step) => (step.kind === 'plan' ? [step.text] : []))
    .join('\n');

/** Each round of mode `iterative`: the need, the query and its result. A need whose query is still to be written is left out. */
function renderRounds(turns: readonly FinishedTurn[]): string {
  let need = '';
  const rounds = turns.flatMap(({ reply: { reading }, queries = [] }) => {
    if (reading.kind !== 'step') return [];
    const { step } = reading;
    if (step.kind === 'plan') need = step.text;
    if (step.kind !== 'queries') return [];
    return [`Round ${step.round}\nNeed: ${need}\n${renderQueries(queries)}`];
  });
  return rounds.join('\n\n');
}

/** The requests and replies of a question, in their order. */
export const databaseTrajectory = (
  method: DatabaseMethod,
  material: QuestionMaterial,
  turns: readonly FinishedTurn[],
): readonly Message[] =>
  turns.flatMap(({ reply }, index): Message[] => [
    ...databaseMessages(method, material, index + 1, turns.slice(0, index)).map(
      // The only message has the role of the user, and a text.
      ({ content }) => ({ role: 'user', content: content as string }) as const,
    ),
    { role: 'assistant', content: reply.raw },
  ]);
