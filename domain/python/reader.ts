import type { PythonCursor } from './cursor.js';
import { readNumber } from './number.js';
import { readString } from './string.js';
import { pythonDict, pythonSet, type PythonEntry, type PythonValue } from './value.js';

/** How a value was written decides where it may stand: only a bare token takes a sign, and no sum is part of another. */
interface Written {
  readonly value: PythonValue;
  readonly as: 'token' | 'signed' | 'other';
}

const other = (value: PythonValue): Written => ({ value, as: 'other' });

/** Reads the literal that begins at the cursor (Appendix A.2 of hybrid-agent.md). Throws PythonSyntaxError. */
export const readValue = (cursor: PythonCursor): PythonValue => readSum(cursor).value;

/** The same, but for sums: a sign behind the literal belongs to what follows. */
export const readLeadingValue = (cursor: PythonCursor): PythonValue => readSigned(cursor).value;

/** `1+2j` is a literal, any other sum is not. */
function readSum(cursor: PythonCursor): Written {
  const left = readSigned(cursor);
  cursor.skipBlanks();
  const operator = cursor.at;
  const sign = cursor.take(/[+-]/y);
  if (sign === '') return left;
  cursor.skipBlanks();
  const right = readAtom(cursor);
  const real = left.as === 'other' ? null : realNumber(left.value);
  if (real === null || right.as !== 'token' || right.value.kind !== 'complex') {
    throw cursor.error('a literal is not calculated', operator);
  }
  const { imaginary } = right.value;
  return other({ kind: 'complex', real, imaginary: sign === '-' ? -imaginary : imaginary });
}

function realNumber(value: PythonValue): number | null {
  return value.kind === 'int' || value.kind === 'float' ? Number(value.value) : null;
}

function readSigned(cursor: PythonCursor): Written {
  const start = cursor.at;
  const sign = cursor.take(/[+-]/y);
  if (sign === '') return readAtom(cursor);
  cursor.skipBlanks();
  const { value, as } = readAtom(cursor);
  const negated = as === 'token' ? negate(value) : null;
  if (negated === null) throw cursor.error('a sign must stand before a number', start);
  return { value: sign === '-' ? negated : value, as: 'signed' };
}

function negate(value: PythonValue): PythonValue | null {
  if (value.kind === 'int') return { kind: 'int', value: -value.value };
  if (value.kind === 'float') return { kind: 'float', value: -value.value };
  if (value.kind !== 'complex') return null;
  return { kind: 'complex', real: -value.real, imaginary: -value.imaginary };
}

function readAtom(cursor: PythonCursor): Written {
  switch (cursor.text.charAt(cursor.at)) {
    case '(':
      return readParentheses(cursor);
    case '[':
      return other({ kind: 'list', items: readItems(cursor, ']').items });
    case '{':
      return other(readBraces(cursor));
  }
  if (cursor.take(/\.\.\./y) !== '') return other({ kind: 'ellipsis' });
  if (/^\.?\d/.test(cursor.text.slice(cursor.at, cursor.at + 2))) {
    const { value, end } = readNumber(cursor.text, cursor.at);
    cursor.at = end;
    return { value, as: 'token' };
  }
  return readStrings(cursor) ?? readNamed(cursor);
}

function readItems(cursor: PythonCursor, close: string): { items: PythonValue[]; comma: boolean } {
  const items: PythonValue[] = [];
  const comma = cursor.brackets(close, () => items.push(readValue(cursor)));
  return { items, comma };
}

function readParentheses(cursor: PythonCursor): Written {
  const items: Written[] = [];
  const comma = cursor.brackets(')', () => items.push(readSum(cursor)));
  const [first] = items;
  if (first !== undefined && !comma) return first;
  return other({ kind: 'tuple', items: items.map(({ value }) => value) });
}

function readBraces(cursor: PythonCursor): PythonValue {
  const start = cursor.at;
  const entries: PythonEntry[] = [];
  const members: PythonValue[] = [];
  cursor.brackets('}', () => {
    const key = readValue(cursor);
    cursor.skipLines();
    if (cursor.nextIs(':') && members.length === 0) {
      cursor.at += 1;
      cursor.skipLines();
      entries.push([key, readValue(cursor)]);
    } else if (entries.length === 0) members.push(key);
    else throw cursor.unexpected();
  });
  const value = members.length > 0 ? pythonSet(members) : pythonDict(entries);
  if (value === null) throw cursor.error('a list, set or dict cannot be a key or in a set', start);
  return value;
}

/** Adjacent strings are one. */
function readStrings(cursor: PythonCursor): Written | null {
  const first = readString(cursor.text, cursor.at, cursor.dialect);
  if (first === null) return null;
  const parts = [first.value];
  cursor.at = first.end;
  for (;;) {
    const mark = cursor.at;
    cursor.skipBlanks();
    const next = readString(cursor.text, cursor.at, cursor.dialect);
    if (next === null) {
      cursor.at = mark;
      return other({ kind: first.kind, value: parts.join('') });
    }
    if (next.kind !== first.kind) throw cursor.error('text and bytes cannot be joined');
    parts.push(next.value);
    cursor.at = next.end;
  }
}

const none: Written = other({ kind: 'none' });
const yes: Written = other({ kind: 'bool', value: true });
const no: Written = other({ kind: 'bool', value: false });
const notANumber: Written = { value: { kind: 'float', value: NaN }, as: 'token' };
const infinity: Written = { value: { kind: 'float', value: Infinity }, as: 'token' };

const pythonNames: ReadonlyMap<string, Written> = new Map([
  ['None', none],
  ['True', yes],
  ['False', no],
]);

const lenientNames: ReadonlyMap<string, Written> = new Map([
  ...pythonNames,
  ['null', none],
  ['true', yes],
  ['false', no],
  ['nan', notANumber],
  ['NaN', notANumber],
  ['inf', infinity],
  ['Infinity', infinity],
]);

function readNamed(cursor: PythonCursor): Written {
  const start = cursor.at;
  const name = cursor.takeName();
  if (name === '') throw cursor.unexpected();
  const known = (cursor.dialect === 'lenient' ? lenientNames : pythonNames).get(name);
  if (known !== undefined) return known;
  cursor.skipBlanks();
  if (name === 'set' && cursor.nextIs('(') && readItems(cursor, ')').items.length === 0) {
    return other({ kind: 'set', items: [] });
  }
  throw cursor.error(`the name ${name.slice(0, 40)} is not a literal`, start);
}
