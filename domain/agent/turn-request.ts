import type { ChatMessage, ChatRequest } from '../models/chat-message.js';
import { tokensOf } from '../models/tokens.js';
import { sum } from '../statistics/means.js';
import { toolsOf } from './actions/action-tools.js';
import { openingMessages, requestMessages, completionReserve } from './conversation.js';
import type { AskedItem, Method } from './method.js';
import { methodOf } from './methods.js';
import type { QuestionMaterial } from './question-context.js';
import type { FinishedTurn } from './turn-record.js';
import { planTurn, type AgentConfig } from './turn-plan.js';

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

export interface ContextShortfall {
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
