import type { Cell, TableResult } from '../../domain/agent/observations/tool-outcome.js';

export const resultOf = (
  types: readonly string[],
  rows: readonly (readonly Cell[])[],
): TableResult => ({
  columns: types.map((type, index) => ({ name: `c${index}`, type })),
  rows,
  more: false,
});
