import type { AskedItem } from '../methods/method.js';
import { methods } from '../methods/methods.js';
import type { AgentConfig } from '../methods/turn-plan.js';
import type { ChatMessage } from '../models/chat-message.js';
import { sum } from '../statistics/mean.js';
import { tokensOf } from './context-limits.js';
import {
  openingMessages,
  requestMessages,
  reserved,
  type FinishedTurn,
  type QuestionMaterial,
} from './conversation.js';

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
  const room = config.contextTokens - reserved(config);
  return needed > room ? { needed, room } : null;
}
