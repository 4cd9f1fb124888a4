import type { ChatMessage } from '../models/chat-message.js';
import type { ChatRequest } from '../models/chat-request.js';
import { tokensOf } from '../models/context-limits.js';
import { sum } from '../statistics/means.js';
import { toolsOf } from './actions/action-tools.js';
import { openingMessages, requestMessages, completionReserve } from './conversation.js';
import type { AskedItem, Method } from './method.js';
import { methods } from './methods.js';
import type { QuestionMaterial } from './question-context.js';
import type { FinishedTurn } from './turn-record.js';
import { planTurn, type AgentConfig } from './turn-plan.js';

/** What a run's model is asked with these messages: its settings, and the tools of the method where it is to call them. */
export function turnRequest(
  config: AgentConfig,
  turn: number,
  messages: readonly ChatMessage[],
): ChatRequest {
  const { name, ...settings } = config.model;
  const plan = planTurn(methods[config.method], turn, config);
  const callsTools = plan.kind === 'action' && plan.format === 'tools';
  return {
    ...settings,
    model: name,
    messages,
    ...(callsTools && { tools: toolsOf(plan.actions) }),
  };
}

/**
 * The first finished turn that `turn` (from 1) is asked with; `turn` itself where none is. A stage of another method
 * sees what the one before it brought, and no window; a graph method may fall back on its first answer.
 */
export const firstTurnInWindow = (
  turn: number,
  windowSize: number,
  kind: Method['kind'] = 'iterative',
): number => (kind === 'graph' ? 1 : Math.max(1, turn - (kind === 'iterative' ? windowSize : 1)));

export interface ContextShortfall {
  /** Tokens of what has to be sent. */
  readonly needed: number;
  /** What the context has left for it beside the completion; may be negative. */
  readonly room: number;
}

/** Null where what a question opens with fits the context of its run, or nobody has said how long that is. */
export const openingShortfall = (
  manifest: QuestionMaterial['manifest'],
  item: AskedItem,
): ContextShortfall | null => shortfall(manifest.config, () => openingMessages(manifest, item));

/**
 * The same of what a turn cannot do without: the opening and the turn before it. Without that the model would do again what
 * it has just done.
 */
export function turnShortfall(
  material: QuestionMaterial,
  turn: number,
  turns: readonly FinishedTurn[],
): ContextShortfall | null {
  const { config } = material.manifest;
  const unlimited = { ...material.manifest, config: { ...config, contextTokens: null } };
  const needed = methods[config.method].kind === 'iterative' ? turns.slice(-1) : turns;
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
