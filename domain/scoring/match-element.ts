import { str } from '../python/text.js';
import type { PythonValue } from '../python/value.js';
import type { Comparison } from './comparison.js';
import { matchesFloat, matchesInt } from './match-number.js';
import { matchesText } from './match-string.js';
import { matchesStructure } from './match-structure.js';
import { mostPairs } from './most-pairs.js';
import { membersOf, numberOption, required, textOption } from './options.js';
import { readList } from './readings.js';

/** Whether the answer is one of the gold elements. */
export function isElement(answer: PythonValue, comparison: Comparison): boolean {
  return elementsOf(comparison).some((gold) => fitsElement(answer, gold, comparison));
}

/** Whether every member of the answer is a gold element. An empty answer passes with the reference, and fails here. */
export function areElements(answer: PythonValue, comparison: Comparison): boolean {
  const given = readList(answer, comparison.mode);
  if (comparison.mode === 'default' && given.length === 0) return false;
  return given.every((member) => isElement(member, comparison));
}

/**
 * Whether the answer has `count` gold elements at least. The reference counts members of the answer by their text, so that
 * `a` and `A` are two; here each gold element counts once. A count of 0 still needs one.
 */
export function overlaps(answer: PythonValue, comparison: Comparison): boolean {
  const count = Math.max(1, numberOption(comparison.options, 'count', 1));
  const given = readList(answer, comparison.mode);
  if (comparison.mode === 'default') {
    const fits = (one: PythonValue, gold: PythonValue): boolean =>
      fitsElement(one, gold, comparison);
    return mostPairs(given, elementsOf(comparison), fits) >= count;
  }
  const texts = given.filter((member) => isElement(member, comparison)).map(str);
  return new Set(texts).size >= count;
}

/** A gold that is one text is a single element; the reference goes through its characters. */
function elementsOf({ options, mode }: Comparison): readonly PythonValue[] {
  const gold = required(options, 'gold');
  return mode === 'default' && gold.kind === 'str' ? [gold] : membersOf(gold, 'gold');
}

function fitsElement(answer: PythonValue, gold: PythonValue, comparison: Comparison): boolean {
  const options = new Map([['ndigits', { kind: 'int', value: 2n }], ...comparison.options]);
  switch (textOption(options, 'element_type', 'str')) {
    case 'str':
      return matchesText(answer, gold, comparison);
    case 'int':
      return matchesInt(answer, gold, comparison);
    case 'float':
      return matchesFloat(answer, gold, { ...comparison, options });
    default:
      return matchesStructure(answer, gold, { ...comparison, options });
  }
}
