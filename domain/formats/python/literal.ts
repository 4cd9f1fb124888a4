import {
  takeString,
  takeNumber,
  PythonCursor,
  PythonSyntaxError,
  type PythonDialect,
} from './tokens.js';
import { pythonDict, pythonSet, type PythonEntry, type PythonValue } from './value.js';

/** `offset` counts UTF-16 units from the start. The texts of reasons must not change, because they are part of prompts. */
export interface InvalidPython {
  readonly kind: 'invalid';
  readonly reason: string;
  readonly offset: number;
}

export type ParsedLiteral =
  { readonly kind: 'parsed'; readonly value: PythonValue } | InvalidPython;

/** A call whose arguments are literals. If two arguments have the same name, the last one counts. */
export interface PythonCall {
  readonly name: string;
  readonly positional: readonly PythonValue[];
  readonly named: ReadonlyMap<string, PythonValue>;
}

type ParsedCall =
  { readonly kind: 'parsed'; readonly call: PythonCall; readonly end: number } | InvalidPython;

/** Reads one literal, as Python's `eval` does without names and operators: `1, 2` is a tuple. */
export function parsePythonLiteral(text: string, dialect: PythonDialect = 'python'): ParsedLiteral {
  return reading(() => {
    const cursor = new PythonCursor(text, 0, dialect);
    cursor.skipLines();
    const first = readValue(cursor);
    const items = [first];
    cursor.skipBlanks();
    const tuple = cursor.nextIs(',');
    while (cursor.take(/,/y) !== '') {
      cursor.skipBlanks();
      if (cursor.ended || /[\n\r#]/.test(text.charAt(cursor.at))) break;
      items.push(readValue(cursor));
      cursor.skipBlanks();
    }
    readEnd(cursor);
    return { kind: 'parsed', value: tuple ? { kind: 'tuple', items } : first };
  });
}

/** Reads the literal at `start`; any text may follow it. A sign after the literal is not part of it. */
export function parseLeadingLiteral(
  text: string,
  start: number,
  dialect: PythonDialect,
): (Extract<ParsedLiteral, { kind: 'parsed' }> & { readonly end: number }) | InvalidPython {
  return reading(() => {
    const cursor = new PythonCursor(text, start, dialect);
    return { kind: 'parsed', value: readSigned(cursor).value, end: cursor.at };
  });
}

/** Reads one call. */
export function parsePythonCall(text: string, dialect: PythonDialect = 'python'): ParsedCall {
  return reading(() => {
    const cursor = new PythonCursor(text, 0, dialect);
    cursor.skipLines();
    const call = readCall(cursor);
    const { at: end } = cursor;
    readEnd(cursor);
    return { kind: 'parsed', call, end };
  });
}

/** Reads the call at `start`; any text may follow it. */
export function parseLeadingCall(text: string, start: number, dialect: PythonDialect): ParsedCall {
  return reading(() => {
    const cursor = new PythonCursor(text, start, dialect);
    return { kind: 'parsed', call: readCall(cursor), end: cursor.at };
  });
}

const pythonName = /[\p{L}_][\p{L}\p{N}_]*\s*=(?!=)/uy;
const lenientName = /[\p{L}_][\p{L}\p{N}_]*\s*(?:=(?!=)|:)/uy;

function readCall(cursor: PythonCursor): PythonCall {
  const name = cursor.takeName();
  if (name === '') throw cursor.unexpected();
  cursor.skipBlanks();
  if (!cursor.nextIs('(')) throw cursor.unexpected();
  const positional: PythonValue[] = [];
  const named = new Map<string, PythonValue>();
  cursor.brackets(')', () => {
    const argument = cursor.take(cursor.dialect === 'lenient' ? lenientName : pythonName);
    if (argument !== '') {
      cursor.skipBlanks();
      named.set(argument.replace(/[\s=:]+$/, ''), readValue(cursor));
    } else if (named.size > 0) throw cursor.error('an unnamed argument follows a named one');
    else positional.push(readValue(cursor));
  });
  return { name, positional, named };
}

function readEnd(cursor: PythonCursor): void {
  cursor.skipBlanks();
  cursor.skipLines();
  if (!cursor.ended) throw cursor.unexpected();
}

function reading<T>(read: () => T): T | InvalidPython {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PythonSyntaxError)) throw error;
    return { kind: 'invalid', reason: error.message, offset: error.offset };
  }
}

/** A value and its notation: a sign may precede a `token` only, and a sum cannot be part of another sum (`other`). */
interface Written {
  readonly value: PythonValue;
  readonly as: 'token' | 'signed' | 'other';
}

const other = (value: PythonValue): Written => ({ value, as: 'other' });

const readValue = (cursor: PythonCursor): PythonValue => readSum(cursor).value;

/** A sum such as `1+2j` is a literal; any other sum is an error. */
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
    return { value: takeNumber(cursor), as: 'token' };
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

/** Adjacent strings are joined. */
function readStrings(cursor: PythonCursor): Written | null {
  const first = takeString(cursor);
  if (first === null) return null;
  const parts = [first.value];
  for (;;) {
    const mark = cursor.at;
    cursor.skipBlanks();
    const nextStart = cursor.at;
    const next = takeString(cursor);
    if (next === null) {
      cursor.at = mark;
      return other({ kind: first.kind, value: parts.join('') });
    }
    if (next.kind !== first.kind) throw cursor.error('text and bytes cannot be joined', nextStart);
    parts.push(next.value);
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
