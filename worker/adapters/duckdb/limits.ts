/** What one statement may use. Time and rows come with the request; memory is the process's (`query-processes.ts`). */
export const limits = {
  sqlCharacters: 100_000,
  /** Of one cell, as text or as the JSON of a list or struct. */
  cellCharacters: 200_000,
  /** Of all cells of a result; the first row is kept however long its uncut cells add up to. */
  resultCharacters: 2_000_000,
  messageCharacters: 2_000,
} as const;
