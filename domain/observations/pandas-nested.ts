import { str } from '../python/text.js';
import { pythonFromJson } from '../python/value.js';
import { isList, itemTypeOf } from './python-cell.js';
import type { Cell } from './table-result.js';

/** pandas' `display.max_seq_items` and `display.pprint_nest_depth`. */
const maxItems = 100;
const maxDepth = 3;

/** A value as pandas' tables write it: on one line, lists and dicts by pandas' own hand. @param type - DuckDB's */
export function pandasNested(cell: Cell, type: string): string {
  return nested(cell, { type, depth: 0, quoted: false });
}

interface Place {
  /** Empty where it is not known. */
  readonly type: string;
  readonly depth: number;
  readonly quoted: boolean;
}

function nested(cell: Cell, { type, depth, quoted }: Place): string {
  if (typeof cell === 'string') return quoted ? `'${oneLine(cell)}'` : oneLine(cell);
  if (cell === null || typeof cell !== 'object' || depth >= maxDepth) {
    return oneLine(str(pythonFromJson(cell)));
  }
  if (isList(cell)) {
    const itemType = itemTypeOf(type) ?? '';
    const inside = { type: itemType, depth: depth + 1, quoted };
    const items = cell
      .slice(0, maxItems)
      .map((item) =>
        item === null && depth === 0 && !/^(?:VARCHAR|JSON)$/.test(itemType)
          ? '--'
          : nested(item, inside),
      );
    return `[${items.join(', ')}${cell.length > maxItems ? ', ...' : ''}]`;
  }
  const inside = { type: '', depth: depth + 1, quoted: true };
  const entries = Object.entries(cell);
  const pairs = entries
    .slice(0, maxItems)
    .map(([key, value]) => `'${oneLine(key)}': ${nested(value, inside)}`);
  return `{${pairs.join(', ')}${entries.length > maxItems ? ', ...' : ''}}`;
}

/** What would break a line of a table is written as its escape. */
export const oneLine = (text: string): string =>
  text.replaceAll('\t', '\\t').replaceAll('\r', '\\r').replaceAll('\n', '\\n');
