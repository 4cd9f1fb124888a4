import type { FinishReason } from './chat-message.js';

/** Ends after which a reply is not read, whatever it says. */
export const withheldReasons = ['refused', 'filtered', 'error'] as const;
export type Withheld = (typeof withheldReasons)[number];

/** Undefined for a reply that its model has ended itself, or that reached its token limit. */
export const withheldOf = (reason: FinishReason): Withheld | undefined =>
  withheldReasons.find((withheld) => withheld === reason);

/** Why a reply that was paid for has nothing to be read. */
export type ReplyLack = Withheld | 'empty';

/** Null for a reply with a text, and for one that ended at the token limit. */
export function lackOf({
  raw,
  cutOff,
  withheld,
}: {
  readonly raw: string;
  readonly cutOff: boolean;
  readonly withheld?: Withheld | undefined;
}): ReplyLack | null {
  if (withheld !== undefined) return withheld;
  return raw.trim() === '' && !cutOff ? 'empty' : null;
}

export const lackText: Readonly<Record<ReplyLack, string>> = {
  refused: 'the model refused to reply',
  filtered: 'a filter of the provider removed the reply',
  error: 'the provider ended the reply with an error',
  empty: 'the reply is empty',
};
