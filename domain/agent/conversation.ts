import type { ChatMessage, Message, ChatRequest } from '../models/chat-message.js';
import { fillPrompt } from '../models/prompt-file.js';
import { fitTurns, limitImages, tokensOf } from '../models/tokens.js';
import { sum } from '../statistics/means.js';
import { toolsOf } from './actions/action-formats.js';
import { fencedText } from './actions/fenced-text.js';
import { assistantMessage } from './actions/parse-reply.js';
import { databaseMessages, databaseTrajectory } from './database-qa/messages.js';
import { iterativeMessages, iterativeOpening } from './iterative-conversation.js';
import {
  needsContext,
  planTurn,
  type AskedItem,
  type SingleShotMethod,
  type TwoStageMethod,
  type Method,
  type GraphMethod,
  type AgentConfig,
} from './turn-plan.js';
import { methodOf } from './methods.js';
import { agentTrajectory } from './own-agent/protocol.js';
import {
  answerMessage,
  retrievalMessage,
  schemaBlock,
  taskMessage,
  describeInputs,
} from './prompts/method-prompts.js';
import { graphQueryPrompt, judgePrompt } from './prompts/prompt-texts.js';
import { storeOf, type QuestionContext, type QuestionMaterial } from './question-context.js';
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

/** The request of a turn: the run's model settings, the messages and, with action format `tools`, the method's tools. */
export function turnRequest(
  config: AgentConfig,
  turn: number,
  messages: readonly ChatMessage[],
): ChatRequest {
  const { name, ...settings } = config.model;
  const method = methodOf(config);
  const plan = planTurn(method, turn, config);
  const about = method.kind === 'iterative' ? method.about : undefined;
  const callsTools = plan.kind === 'action' && plan.format === 'tools';
  return {
    ...settings,
    model: name,
    messages,
    ...keptOf(method, turn, messages, config.windowSize),
    ...(callsTools && { tools: toolsOf(plan.actions, about, config.prompts) }),
  };
}

/** Of an iterative method, all while every turn is sent, and will be; then what stands before the first turn. */
function keptOf(
  { kind }: Method,
  turn: number,
  messages: readonly ChatMessage[],
  windowSize: number,
): Pick<ChatRequest, 'kept'> {
  if (kind !== 'iterative') return {};
  const replies = messages.filter(({ role }) => role === 'assistant');
  const [first] = replies;
  const sendsAll = replies.length === turn - 1 && firstTurnInWindow(turn + 1, windowSize) === 1;
  return { kept: sendsAll || !first ? messages.length : messages.indexOf(first) };
}

/**
 * The first finished turn that the request for `turn` (from 1) contains; `turn` itself when it contains none. The window
 * applies to iterative methods. A two-stage method needs the previous turn. A graph method needs all turns, because it may
 * return to its first answer, a database method builds on all its results, and a program may have to be told all again.
 */
export const firstTurnInWindow = (
  turn: number,
  windowSize: number,
  kind: Method['kind'] = 'iterative',
): number =>
  kind === 'graph' || kind === 'database' || kind === 'program'
    ? 1
    : Math.max(1, turn - (kind === 'iterative' ? windowSize : 1));

/** Half of the turns of a request that is too long, the newest; null where that leaves none, or the method needs all. */
export const fewerTurns = (
  turns: readonly FinishedTurn[],
  config: AgentConfig,
): readonly FinishedTurn[] | null =>
  config.strict || turns.length < 2 || methodOf(config).kind !== 'iterative'
    ? null
    : turns.slice(-Math.floor(turns.length / 2));

interface ContextShortfall {
  /** Tokens of the messages that must be sent. */
  readonly needed: number;
  /** Tokens of the context that the completion leaves free; may be negative. */
  readonly room: number;
}

/** Null when the first request of a question fits the context, or the context's length is not set. */
export const openingShortfall = (
  manifest: QuestionMaterial['manifest'],
  item: AskedItem,
  database: QuestionMaterial['database'] = null,
  context?: string,
): ContextShortfall | null =>
  shortfall(manifest.config, () => openingMessages(manifest, item, {}, 1, database, context));

/**
 * The same for the messages that a later turn needs: the opening and the previous turn. Without the previous turn the model
 * would repeat its last action.
 */
export function turnShortfall(
  material: QuestionMaterial,
  turn: number,
  turns: readonly FinishedTurn[],
): ContextShortfall | null {
  const { config } = material.manifest;
  const unlimited = { ...material.manifest, config: { ...config, contextTokens: null } };
  const needed = methodOf(config).kind === 'iterative' ? turns.slice(-1) : turns;
  return shortfall(config, () =>
    requestMessages({ ...material, manifest: unlimited }, turn, needed),
  );
}

function shortfall(
  config: AgentConfig,
  messages: () => readonly ChatMessage[],
): ContextShortfall | null {
  if (config.contextTokens === null) return null;
  const needed = sum(messages().map(tokensOf));
  const room = config.contextTokens - completionReserve(config);
  return needed > room ? { needed, room } : null;
}

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
function judgeMessage(
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
const graphTrajectory = (
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
