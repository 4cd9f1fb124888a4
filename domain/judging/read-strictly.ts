import { strip } from '../python/text.js';
import { toFloat } from '../scoring/to-number.js';
import { graded, read, selectionIn, unreadable, type Judgement } from './read-judgement.js';

/** Python's `\s`. */
const blank = String.raw`[\x1c-\x1f\x85]|(?!\ufeff)\s`;
const fence = new RegExp(`\`\`\`(?:txt)?(?:${blank})(.*?)(?:${blank})\`\`\``, 'gs');

/** True for the one word, in the last of all fences; whatever else there is means false (evaluation-functions.md §5.1). */
export function verdictStrictly(text: string): Judgement {
  const content = [...text.matchAll(fence)].at(-1)?.[1] ?? '';
  return read(Number(strip(content).toLowerCase() === 'true'), text);
}

/** The number in the first object, whatever stands around it (evaluation-functions.md §5.8). */
export function selectionStrictly(text: string): Judgement {
  const open = text.indexOf('{');
  const close = text.indexOf('}', open);
  const selection = open === -1 || close === -1 ? null : selectionIn(text.slice(open, close + 1));
  if (selection === null) return unreadable;
  return selection >= 0 && selection <= 1
    ? read(selection, text)
    : { kind: 'off-scale', value: selection };
}

/** A float as Python reads it, and nothing else (evaluation-functions.md §5.9). */
export function gradeStrictly(text: string): Judgement {
  const grade = toFloat({ kind: 'str', value: text });
  return grade === null ? unreadable : graded(grade, '');
}
