import { openingMessages, reserved, type QuestionMaterial } from './conversation.js';
import { tokensOf } from './context-limits.js';
import type { DatasetItem } from './dataset-item.js';

export interface ContextShortfall {
  /** Tokens of what a question opens with. */
  readonly opening: number;
  /** What the context has left for it beside the completion; may be negative. */
  readonly room: number;
}

/** Null where what a question opens with fits the context of its run, or nobody has said how long that is. */
export function contextShortfall(
  manifest: QuestionMaterial['manifest'],
  item: DatasetItem,
): ContextShortfall | null {
  const { config } = manifest;
  if (config.contextTokens === null) return null;
  const messages = openingMessages(manifest, item);
  const opening = messages.reduce((total, message) => total + tokensOf(message), 0);
  const room = config.contextTokens - reserved(config);
  return opening > room ? { opening, room } : null;
}
