import { maxDepth, PythonCursor } from './cursor.js';
import type { InvalidPython, ParsedLiteral } from './literal.js';
import { maxDigits, tooManyDigits } from './number.js';
import { PythonSyntaxError } from './syntax.js';
import { pythonDict, type PythonEntry, type PythonValue } from './value.js';

/** Reads a text that is one JSON value as Python's `json.loads` does: `1.0` is a float, `NaN` a number. */
export function parseJson(text: string): ParsedLiteral {
  try {
    const cursor = new PythonCursor(text, 0, 'python');
    skipBlanks(cursor);
    const value = readValue(cursor, 0);
    skipBlanks(cursor);
    if (!cursor.ended) throw cursor.unexpected();
    return { kind: 'parsed', value };
  } catch (error) {
    return invalid(error);
  }
}

function invalid(error: unknown): InvalidPython {
  if (!(error instanceof PythonSyntaxError)) throw error;
  return { kind: 'invalid', reason: error.message, offset: error.offset };
}

const skipBlanks = (cursor: PythonCursor): string => cursor.take(/[ \t\n\r]+/y);

const words: ReadonlyMap<string, PythonValue> = new Map([
  ['null', { kind: 'none' }],
  ['true', { kind: 'bool', value: true }],
  ['false', { kind: 'bool', value: false }],
  ['NaN', { kind: 'float', value: NaN }],
  ['Infinity', { kind: 'float', value: Infinity }],
  ['-Infinity', { kind: 'float', value: -Infinity }],
]);

function readValue(cursor: PythonCursor, depth: number): PythonValue {
  if (cursor.nextIs('{')) return readObject(cursor, depth + 1);
  if (cursor.nextIs('[')) return readArray(cursor, depth + 1);
  if (cursor.nextIs('"')) return { kind: 'str', value: readString(cursor) };
  const start = cursor.at;
  const word = words.get(cursor.take(/-?[A-Za-z]+/y));
  if (word !== undefined) return word;
  cursor.at = start;
  const number = cursor.take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  if (number === '') throw cursor.unexpected();
  if (/[.eE]/.test(number)) return { kind: 'float', value: Number(number) };
  if (number.length > maxDigits) throw cursor.error(tooManyDigits);
  return { kind: 'int', value: BigInt(number) };
}

function readArray(cursor: PythonCursor, depth: number): PythonValue {
  const items: PythonValue[] = [];
  readMembers(cursor, ']', depth, () => items.push(readValue(cursor, depth)));
  return { kind: 'list', items };
}

function readObject(cursor: PythonCursor, depth: number): PythonValue {
  const entries: PythonEntry[] = [];
  readMembers(cursor, '}', depth, () => {
    if (!cursor.nextIs('"')) throw cursor.unexpected();
    const key = readString(cursor);
    skipBlanks(cursor);
    if (cursor.take(/:/y) === '') throw cursor.unexpected();
    skipBlanks(cursor);
    entries.push([{ kind: 'str', value: key }, readValue(cursor, depth)]);
  });
  // Keys that are texts always make a dict.
  return pythonDict(entries) ?? { kind: 'dict', entries: [] };
}

/** From the bracket here past its `close`. Passes the blanks around members. */
function readMembers(
  cursor: PythonCursor,
  close: string,
  depth: number,
  readMember: () => void,
): void {
  if (depth > maxDepth) throw cursor.error('brackets are nested too deeply');
  do {
    const opening = !cursor.nextIs(',');
    cursor.at += 1;
    skipBlanks(cursor);
    if (opening && cursor.nextIs(close)) break;
    readMember();
    skipBlanks(cursor);
  } while (cursor.nextIs(','));
  if (!cursor.nextIs(close)) throw cursor.unexpected();
  cursor.at += 1;
}

function readString(cursor: PythonCursor): string {
  const start = cursor.at;
  for (let at = start + 1; at < cursor.text.length; at++) {
    const char = cursor.text.charAt(at);
    if (char === '\\') at++;
    else if (char < ' ') throw cursor.error('a line break or control character in a text', at);
    else if (char === '"') {
      cursor.at = at + 1;
      return decoded(cursor, start);
    }
  }
  throw cursor.error('a text is not closed', start);
}

function decoded(cursor: PythonCursor, start: number): string {
  try {
    // A JSON text between quotes is a string.
    return JSON.parse(cursor.text.slice(start, cursor.at)) as string;
  } catch {
    throw cursor.error('an escape is malformed', start);
  }
}
