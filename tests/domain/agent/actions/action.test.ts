import { describe, expect, it } from 'vitest';
import {
  anyValueOf,
  boundingBoxOf,
  limitOf,
  pageNumberOf,
  paperIdOf,
  type AnyValue,
} from '../../../../domain/agent/actions/action.js';
import { parsePythonLiteral } from '../../../../domain/formats/python/literal.js';

function written(source: string): AnyValue {
  const parsed = parsePythonLiteral(source, 'lenient');
  if (parsed.kind === 'invalid') throw new Error(parsed.reason);
  return anyValueOf(parsed.value);
}

describe('limitOf', () => {
  it.each([
    ['3', 3, 3],
    ["'3'", 3, 3],
    ["' +1_0 '", 10, 10],
    ['0', 0, null],
    ['-1', -1, null],
    ["'0'", null, null],
    ["'x'", null, null],
    ['2.0', null, 2],
    ['2.5', null, null],
    ['True', null, null],
    ['None', null, null],
    ['[3]', null, null],
    ['1e3', null, 1000],
    ['nan', null, null],
    ['...', null, null],
  ])('reads %s as %s strictly and as %s tolerantly', (source, strictly, tolerantly) => {
    expect(limitOf(written(source), 'strict')).toBe(strictly);
    expect(limitOf(written(source), 'tolerant')).toBe(tolerantly);
  });
});

describe("ViewImage's parameters", () => {
  it.each([
    ["'p'", 'p'],
    ["''", ''],
    ['1', null],
    ['None', null],
    ["['p']", null],
  ])('takes %s for the paper %j', (source, paper) => {
    expect(paperIdOf(written(source))).toBe(paper);
  });

  it.each([
    ['4', 4],
    ["'4'", 4],
    ['4.9', 4],
    ['True', 1],
    ['0', null],
    ['-2', null],
    ['0.5', null],
    ["'4.9'", null],
    ['None', null],
    ['inf', null],
  ])('takes %s for the page %s', (source, page) => {
    expect(pageNumberOf(written(source))).toBe(page);
  });

  it.each([
    ['[]', []],
    ['None', []],
    ["''", []],
    ['[1, 2.5, 3, 4]', [1, 2.5, 3, 4]],
    ["['1', ' 2.5 ', '.5', '1e2']", [1, 2.5, 0.5, 100]],
    ['[1, 2, 3]', null],
    ['(1, 2, 3, 4)', null],
    ["'1, 2, 3, 4'", null],
    ["[1, 2, 3, 'x']", null],
    ['[1, 2, 3, None]', null],
    ['[1, 2, 3, nan]', null],
    ['{}', null],
  ])('takes %s for the box %j', (source, box) => {
    expect(boundingBoxOf(written(source))).toEqual(box);
  });
});
