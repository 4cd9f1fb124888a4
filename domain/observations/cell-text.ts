import type { Cell } from './table-result.js';

/** A cell outside JSON: texts as they are, the rest as JSON. */
export const cellText = (cell: Cell): string =>
  typeof cell === 'string' ? cell : JSON.stringify(cell);
