import type { SpendingPort } from '../../activities/ports/spending.js';

/** Lets every call go: a run without a budget. */
export const freeSpending: SpendingPort = {
  reserve: () => Promise.resolve({ kind: 'reserved', settle: () => undefined }),
};
