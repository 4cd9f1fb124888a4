import type { ChatMessage, Message } from '../models/chat-message.js';
import { fitTurns, limitImages } from '../models/context-limits.js';
import { assistantMessage } from './actions/render-turn.js';
import { graphQuery, graphTrajectory, judgeMessage } from './graph-conversation.js';
import { iterativeMessages, iterativeOpening } from './iterative-conversation.js';
import type { AskedItem, SingleShotMethod, TwoStageMethod } from './method.js';
import { methods } from './methods.js';
import { answerMessage, retrievalMessage } from './prompts/method-prompts.js';
import { schemaBlock, taskMessage } from './prompts/task-message.js';
import type { QuestionContext, QuestionMaterial } from './question-context.js';
import { needsContext, planTurn, type AgentConfig } from './turn-plan.js';
import { observationWithoutTools, type FinishedTurn, type ReplyRecord } from './turn-record.js';

/** The images a model is sent at most (hybrid-agent.md §4.5). */
const imageLimit = 10;

/**
 * What the model is sent for `turn` after `turns`, those of the window: the opening, and what of them fits the context.
 * In the first turn of a graph method it is what the graph is sent.
 */
export function requestMessages(
  material: QuestionMaterial,
  turn: number,
  turns: readonly FinishedTurn[],
): readonly ChatMessage[] {
  const { config } = material.manifest;
  const method = methods[config.method];
  if (method.kind === 'graph') {
    const content =
      turn === 1 ? graphQuery(method, material) : judgeMessage(method, material, turns);
    return [{ role: 'user', content }];
  }
  if (method.kind !== 'iterative') return stageMessages(method, material, turn, turns.at(-1));
  return windowMessages(
    iterativeOpening(method, material),
    iterativeMessages(turns, config),
    config,
  );
}

/** What the model is sent in a turn of an iterative method. @param turns - the messages of each turn of the window */
export function windowMessages(
  opening: readonly ChatMessage[],
  turns: readonly (readonly ChatMessage[])[],
  config: AgentConfig,
): readonly ChatMessage[] {
  const fitting =
    config.contextTokens === null
      ? turns
      : fitTurns(opening, turns, config.contextTokens - completionReserve(config));
  return limitImages([...opening, ...fitting.flat()], {
    opening: opening.length,
    limit: imageLimit,
  });
}

/**
 * What the model is sent first. Where a context is still to be read from the store, a line says so.
 * @param titles - of papers, by id
 * @param turn - another one than the first, as if nothing had come of those before it
 */
export const openingMessages = (
  manifest: QuestionMaterial['manifest'],
  item: AskedItem,
  titles: QuestionContext['titles'] = {},
  turn = 1,
): readonly ChatMessage[] =>
  requestMessages(
    {
      manifest,
      item,
      questionContext: needsContext(methods[manifest.config.method])
        ? { titles, context: '(read from the store when the question is asked)' }
        : null,
    },
    turn,
    [],
  );

/** Tokens of `contextTokens` that are kept for the completion; the reference leaves it no room. */
export const completionReserve = ({ model, strict }: AgentConfig): number =>
  strict ? 0 : model.maxTokens;

/** The whole conversation, as it is exported: tool calls as JSON in the text of the reply that made them. */
export function conversation(
  material: QuestionMaterial,
  turns: readonly FinishedTurn[],
): readonly Message[] {
  const { config } = material.manifest;
  const method = methods[config.method];
  if (method.kind === 'iterative') {
    const written = config.actionFormat === 'tools' ? 'json' : config.actionFormat;
    return [
      ...iterativeOpening(method, material),
      ...iterativeMessages(turns, { ...config, actionFormat: written }).flat(),
    ].flatMap(asTrajectory);
  }
  if (method.kind === 'graph') return graphTrajectory(method, material, turns);
  return turns.flatMap((turn, index): Message[] => [
    ...stageMessages(method, material, index + 1, turns[index - 1]).flatMap(asTrajectory),
    { role: 'assistant', content: replyText(config, turn.reply) },
  ]);
}

/** Only requests hold other roles than these. */
const asTrajectory = ({ role, content }: ChatMessage): Message[] =>
  role === 'system' || role === 'user' || role === 'assistant' ? [{ role, content }] : [];

/** Each stage is a conversation of its own, of one message. */
function stageMessages(
  method: SingleShotMethod | TwoStageMethod,
  { manifest, item, questionContext }: QuestionMaterial,
  turn: number,
  before: FinishedTurn | undefined,
): readonly ChatMessage[] {
  const { config, store } = manifest;
  if (method.kind === 'two-stage' && turn === 1) {
    const schemas = method.schemas.map((block) => schemaBlock(block, store));
    const task = taskMessage(item, { kind: 'ids' }, schemas);
    return [{ role: 'user', content: retrievalMessage(method, task, config) }];
  }
  const role = method.kind === 'two-stage' ? method.answerRole : method.role;
  const context = before?.observation ?? questionContext?.context ?? null;
  const task =
    context === null
      ? taskMessage(item, { kind: 'none' })
      : taskMessage(item, { kind: 'titles', titles: questionContext?.titles ?? {} }, [
          `[Context]: ${context}`,
        ]);
  return [{ role: 'user', content: answerMessage(role, task, { withContext: context !== null }) }];
}

/**
 * A model's turn in words. An action is rebuilt from what was read; an answer is what was extracted from the reply
 * where `strict`, and the reply with all its reasoning otherwise.
 */
export function replyText(config: AgentConfig, { turn, reading, raw }: ReplyRecord): string {
  const plan = planTurn(methods[config.method], turn, config);
  if (plan.kind === 'action') {
    const strictness = config.strict ? 'strict' : 'tolerant';
    return assistantMessage(reading, raw, { ...plan, strictness });
  }
  return config.strict && plan.kind === 'answer' ? (observationWithoutTools(reading) ?? raw) : raw;
}
