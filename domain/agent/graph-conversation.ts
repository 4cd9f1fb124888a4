import type { Message } from '../models/chat-message.js';
import { fillPrompt } from '../models/prompt-file.js';
import { fencedText } from './actions/fenced-text.js';
import type { GraphMethod } from './method.js';
import { graphQueryPrompt, judgePrompt } from './prompts/prompt-texts.js';
import { describeInputs, taskMessage } from './prompts/task-message.js';
import type { QuestionMaterial } from './question-context.js';
import type { FinishedTurn } from './turn-record.js';

/** The query of the graph: the task, with its question replaced by `question`. */
export const graphQuery = (
  method: GraphMethod,
  material: QuestionMaterial,
  question: string = material.item.question,
): string => {
  const { prompts = {}, method: name } = material.manifest.config;
  const task = taskOf(method, material, question);
  return fillPrompt(prompts[`${name}.query`] ?? graphQueryPrompt, { task });
};

/** The judge's message after `turns`: the task and the latest queries with their answers, as many as the window holds. */
export function judgeMessage(
  method: GraphMethod,
  material: QuestionMaterial,
  turns: readonly FinishedTurn[],
): string {
  const { item, manifest } = material;
  const { prompts = {}, method: name, windowSize } = manifest.config;
  const rounds = turns.filter(asksGraph).slice(-Math.max(1, windowSize));
  const blocks = rounds.flatMap((turn) => [
    `[Query]: ${questionOf(turn, material)}`,
    `[Answer]: ${turn.observation}`,
  ]);
  return fillPrompt(prompts[`${name}.judge`] ?? judgePrompt, {
    role: method.judge?.role ?? '',
    inputs: describeInputs(
      prompts,
      ...(['question', 'answerFormat'] as const),
      method.papers === 'ids' ? 'anchorIds' : 'anchorTitles',
      ...(['conference', 'graphQuery', 'graphAnswer'] as const),
    ),
    task: taskOf(method, material, item.question, blocks),
  });
}

/** The graph's queries and answers, with the judge's messages and replies between them. */
export const graphTrajectory = (
  method: GraphMethod,
  material: QuestionMaterial,
  turns: readonly FinishedTurn[],
): readonly Message[] =>
  turns.flatMap(({ reply: { model, raw, reading }, observation }, index) => {
    const messages: Message[] = [];
    if (model !== null) {
      const request = judgeMessage(method, material, turns.slice(0, index));
      messages.push({ role: 'user', content: request }, { role: 'assistant', content: raw });
    }
    if (reading.kind === 'action' && reading.action.kind === 'QueryGraph') {
      const { query } = reading.action;
      messages.push({ role: 'user', content: query }, { role: 'assistant', content: observation });
    }
    return messages;
  });

export const asksGraph = ({ reply: { reading } }: FinishedTurn): boolean =>
  reading.kind === 'action' && reading.action.kind === 'QueryGraph';

/** The question of a query, without the other parts of the task. */
const questionOf = ({ reply }: FinishedTurn, { item, manifest }: QuestionMaterial): string =>
  reply.model === null
    ? item.question
    : fencedText(reply.raw, manifest.config.strict ? 'strict' : 'tolerant');

const taskOf = (
  { papers }: GraphMethod,
  { manifest, item, questionContext }: QuestionMaterial,
  question: string,
  blocks: readonly string[] = [],
): string =>
  taskMessage(
    { ...item, question },
    papers === 'ids' ? { kind: 'ids' } : { kind: 'titles', titles: questionContext?.titles ?? {} },
    blocks,
    manifest.config,
  );
