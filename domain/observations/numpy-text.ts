import { floatText, repr } from '../python/text.js';
import type { Json } from '../python/value.js';
import { pythonFromJson } from '../python/value.js';

const lineWidth = 75;
/** More items than this are summarised by the first and last three. */
const threshold = 1000;
const edge = 3;

/**
 * Python's `str` of the numpy array that DuckDB hands pandas for a LIST: items between blanks, lines of 75 characters.
 * Exact for lists of texts, integers and booleans, and for floats that numpy shows without exponent; nested lists
 * are shown as Python lists.
 */
export function numpyText(items: readonly Json[], itemType: string): string {
  const summarised = items.length > threshold;
  const shown = summarised ? [...items.slice(0, edge), ...items.slice(-edge)] : items;
  const words = itemWords(shown, itemType);
  return wrapped(summarised ? words.toSpliced(edge, 0, '...') : words);
}

function itemWords(items: readonly Json[], itemType: string): readonly string[] {
  if (items.some((item) => item === null)) {
    const missing = /^(?:VARCHAR|JSON)$/.test(itemType) ? 'None' : '--';
    return items.map((item) => (item === null ? missing : repr(pythonFromJson(item))));
  }
  if (items.every((item) => typeof item === 'number')) {
    return /^(?:DOUBLE|FLOAT|DECIMAL)/.test(itemType)
      ? floatWords(items)
      : padded(items.map(String));
  }
  if (items.every((item) => typeof item === 'boolean')) {
    return padded(items.map((item) => (item ? 'True' : 'False')));
  }
  return items.map((item) => repr(pythonFromJson(item)));
}

const padded = (words: readonly string[]): readonly string[] => {
  const width = Math.max(...words.map((word) => word.length));
  return words.map((word) => word.padStart(width));
};

/** Aligned at the decimal point. */
function floatWords(items: readonly number[]): readonly string[] {
  const parts = items.map((item) => {
    const [whole = '', fraction = ''] = floatText(Number(item.toFixed(8)))
      .replace(/\.0$/, '.')
      .split('.');
    return { whole, fraction };
  });
  const before = Math.max(...parts.map(({ whole }) => whole.length));
  const behind = Math.max(...parts.map(({ fraction }) => fraction.length));
  return parts.map(({ whole, fraction }) => `${whole.padStart(before)}.${fraction.padEnd(behind)}`);
}

function wrapped(words: readonly string[]): string {
  const lines: string[] = [];
  let line = ' ';
  for (const word of words) {
    const full = Array.from(line).length + Array.from(word).length > lineWidth - 1;
    if (full && line.length > 1) {
      lines.push(line.trimEnd());
      line = ' ';
    }
    line += `${word} `;
  }
  // The last word is followed by the bracket, the first line begins with one.
  return `[${[...lines, line.slice(0, -1)].join('\n').slice(1)}]`;
}
