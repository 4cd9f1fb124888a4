/** Why a reply ended: by itself, at the token limit, or as its provider had it. */
export const finishReasons = ['stop', 'length', 'other'] as const;
export type FinishReason = (typeof finishReasons)[number];
