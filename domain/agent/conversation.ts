import type { ChatMessage, Message } from '../models/chat-message.js';
import { fitTurns, limitImages } from '../models/tokens.js';
import { assistantMessage } from './actions/render-turn.js';
import { databaseMessages, databaseTrajectory } from './database-qa/messages.js';
import { agentTrajectory } from './own-agent/protocol.js';
import { graphQuery, graphTrajectory, judgeMessage } from './graph-conversation.js';
import { iterativeMessages, iterativeOpening } from './iterative-conversation.js';
import type { AskedItem, SingleShotMethod, TwoStageMethod } from './method.js';
import { methodOf } from './methods.js';
import { answerMessage, retrievalMessage } from './prompts/method-prompts.js';
import { schemaBlock, taskMessage } from './prompts/task-message.js';
import { storeOf, type QuestionContext, type QuestionMaterial } from './question-context.js';
import { needsContext, planTurn, type AgentConfig } from './turn-plan.js';
import { observationWithoutTools, type FinishedTurn, type ReplyRecord } from './turn-record.js';

/** The reference system sends at most this many images in a request. */
const imageLimit = 10;

/**
 * The messages of the request for `turn`. For an iterative method these are the opening and those of `turns` that fit the
 * context. In the first turn of a graph method they go to the graph program.
 * @param turns - the finished turns inside the window
 */
export function requestMessages(
  material: QuestionMaterial,
  turn: number,
  turns: readonly FinishedTurn[],
): readonly ChatMessage[] {
  const { config } = material.manifest;
  const method = methodOf(config);
  if (method.kind === 'graph') {
    const content =
      turn === 1 ? graphQuery(method, material) : judgeMessage(method, material, turns);
    return [{ role: 'user', content }];
  }
  if (method.kind === 'database') return databaseMessages(method, material, turn, turns);
  // It writes its messages when it is asked, and they are stored with the reply.
  if (method.kind === 'program') return [];
  if (method.kind !== 'iterative') return stageMessages(method, material, turn, turns.at(-1));
  return windowMessages(
    iterativeOpening(method, material),
    iterativeMessages(turns, config),
    config,
  );
}

/** The messages of a turn of an iterative method. @param turns - the messages of each turn inside the window */
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
 * The messages of the first turn.
 * @param titles - titles of papers, by id
 * @param turn - for a later turn, the messages as if no turn had preceded it
 * @param context - what the method reads first. @defaultValue a line that stands for what has not been read yet
 */
export const openingMessages = (
  manifest: QuestionMaterial['manifest'],
  item: AskedItem,
  titles: QuestionContext['titles'] = {},
  turn = 1,
  database: QuestionMaterial['database'] = null,
  context = '(read from the store when the question is asked)',
): readonly ChatMessage[] =>
  requestMessages(
    {
      manifest,
      item,
      database,
      questionContext: needsContext(methodOf(manifest.config)) ? { titles, context } : null,
    },
    turn,
    [],
  );

/** The part of `contextTokens` that is reserved for the completion. The reference system reserves none. */
export const completionReserve = ({ model, strict }: AgentConfig): number =>
  strict ? 0 : model.maxTokens;

/** The whole conversation as it is exported. A tool call appears as JSON in the text of its reply. */
export function conversation(
  material: QuestionMaterial,
  turns: readonly FinishedTurn[],
): readonly Message[] {
  const { config } = material.manifest;
  const method = methodOf(config);
  if (method.kind === 'iterative') {
    const written = config.actionFormat === 'tools' ? 'json' : config.actionFormat;
    return [
      ...iterativeOpening(method, material),
      ...iterativeMessages(turns, { ...config, actionFormat: written }).flat(),
    ].flatMap(asTrajectory);
  }
  if (method.kind === 'graph') return graphTrajectory(method, material, turns);
  if (method.kind === 'database') return databaseTrajectory(method, material, turns);
  if (method.kind === 'program') return agentTrajectory(turns);
  return turns.flatMap((turn, index): Message[] => [
    ...stageMessages(method, material, index + 1, turns[index - 1]).flatMap(asTrajectory),
    { role: 'assistant', content: replyText(config, turn.reply) },
  ]);
}

/** Trajectories have three roles; `developer` and `tool` occur in requests only. */
const asTrajectory = ({ role, content }: ChatMessage): Message[] =>
  role === 'system' || role === 'user' || role === 'assistant' ? [{ role, content }] : [];

/** Each stage is a separate conversation of one message. */
function stageMessages(
  method: SingleShotMethod | TwoStageMethod,
  { manifest, item, database, questionContext }: QuestionMaterial,
  turn: number,
  previous: FinishedTurn | undefined,
): readonly ChatMessage[] {
  const { config } = manifest;
  if (method.kind === 'two-stage' && turn === 1) {
    const schemas = method.schemas.map((block) =>
      schemaBlock(block, storeOf(manifest), manifest.config),
    );
    const task = taskMessage(item, { kind: 'ids' }, schemas, config);
    return [{ role: 'user', content: retrievalMessage(method, task, config, storeOf(manifest)) }];
  }
  if (method.kind === 'single-shot' && method.context.kind === 'schema') {
    const task = taskMessage(item, { kind: 'none' }, [`[Database Schema]:\n${database ?? ''}`]);
    return [{ role: 'user', content: answerMessage(method.role, task, ['database'], config) }];
  }
  const role = method.kind === 'two-stage' ? method.answerRole : method.role;
  const context = previous?.observation ?? questionContext?.context ?? null;
  const inputs = context === null ? [] : (['anchorTitles', 'conference', 'context'] as const);
  const task =
    context === null
      ? taskMessage(item, { kind: 'none' })
      : taskMessage(
          item,
          { kind: 'titles', titles: questionContext?.titles ?? {} },
          [`[Context]: ${context}`],
          config,
        );
  const part = method.kind === 'two-stage' ? '.answer' : '';
  return [{ role: 'user', content: answerMessage(role, task, inputs, config, part) }];
}

/**
 * The reply of a turn as the trajectory shows it. An action is rendered from the parsed reply. An answer is the extracted
 * text in strict mode, and the whole reply otherwise.
 */
export function replyText(config: AgentConfig, { turn, reading, raw }: ReplyRecord): string {
  const plan = planTurn(methodOf(config), turn, config);
  if (plan.kind === 'action') {
    const strictness = config.strict ? 'strict' : 'tolerant';
    return assistantMessage(reading, raw, { ...plan, strictness });
  }
  return config.strict && plan.kind === 'answer' ? (observationWithoutTools(reading) ?? raw) : raw;
}
