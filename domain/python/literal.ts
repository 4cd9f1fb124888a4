import { PythonCursor } from './cursor.js';
import { readLeadingValue, readValue } from './reader.js';
import { PythonSyntaxError, type PythonDialect } from './syntax.js';
import type { PythonValue } from './value.js';

/** `offset` counts UTF-16 units from the start of the text. Reasons are stable: they are part of what a model is told. */
export interface InvalidPython {
  readonly kind: 'invalid';
  readonly reason: string;
  readonly offset: number;
}

export type ParsedLiteral =
  { readonly kind: 'parsed'; readonly value: PythonValue } | InvalidPython;

/** A call whose arguments are literals. Of two arguments with one name the last counts. */
export interface PythonCall {
  readonly name: string;
  readonly positional: readonly PythonValue[];
  readonly named: ReadonlyMap<string, PythonValue>;
}

export type ParsedCall =
  { readonly kind: 'parsed'; readonly call: PythonCall; readonly end: number } | InvalidPython;

/** Reads a text that is one literal, as Python's `eval` would without names and operators: `1, 2` is a tuple. */
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

/** Reads the literal that begins at `start`, whatever follows it. */
export function parseLeadingLiteral(
  text: string,
  start: number,
  dialect: PythonDialect,
): (Extract<ParsedLiteral, { kind: 'parsed' }> & { readonly end: number }) | InvalidPython {
  return reading(() => {
    const cursor = new PythonCursor(text, start, dialect);
    return { kind: 'parsed', value: readLeadingValue(cursor), end: cursor.at };
  });
}

/** Reads a text that is one call. */
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

/** Reads the call that begins at `start`, whatever follows it. */
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
