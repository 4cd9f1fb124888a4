import type { ParsedLiteral } from './literal.js';
import { floatText, repr, str, pythonDict, type PythonEntry, type PythonValue } from './value.js';
import { intValue, maxDepth, PythonCursor, PythonSyntaxError } from './tokens.js';

/** Reads one JSON value as Python's `json.loads` does: `1.0` is a float, and `NaN` is a number. */
export function parseJson(text: string): ParsedLiteral {
  try {
    const cursor = new PythonCursor(text, 0, 'python');
    skipBlanks(cursor);
    const value = readValue(cursor, 0);
    skipBlanks(cursor);
    if (!cursor.ended) throw cursor.unexpected();
    return { kind: 'parsed', value };
  } catch (error) {
    if (!(error instanceof PythonSyntaxError)) throw error;
    return { kind: 'invalid', reason: error.message, offset: error.offset };
  }
}

/** Python's `json.loads`; null where it raises. */
export function pythonFromJsonText(text: string): PythonValue | null {
  const parsed = parseJson(text);
  return parsed.kind === 'parsed' ? parsed.value : null;
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
  return intValue(cursor, cursor.at, number);
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
  // `pythonDict` returns null for unhashable keys only; these keys are strings.
  return pythonDict(entries) ?? { kind: 'dict', entries: [] };
}

/** Reads from the opening bracket at the cursor to `close`, with the white space around members. */
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
    // The cast is safe: quoted JSON is a string.
    return JSON.parse(cursor.text.slice(start, cursor.at)) as string;
  } catch {
    throw cursor.error('an escape is malformed', start);
  }
}

interface JsonStyle {
  /** Spaces per level; null writes one line. */
  readonly indent: number | null;
  /** Whether non-ASCII characters are escaped, Python's default. */
  readonly ascii: boolean;
}

/** Python's `json.dumps(value)`. Values that JSON does not have become their `repr`. */
export function jsonDumps(value: PythonValue, style: JsonStyle, depth = 0): string {
  switch (value.kind) {
    case 'none':
      return 'null';
    case 'bool':
      return String(value.value);
    case 'int':
      return value.value.toString();
    case 'float':
      return floatWords.get(floatText(value.value)) ?? floatText(value.value);
    case 'str':
      return quoted(value.value, style);
    case 'list':
    case 'tuple':
      return bracketed(
        '[]',
        value.items.map((item) => jsonDumps(item, style, depth + 1)),
        style,
        depth,
      );
    case 'dict': {
      const members = value.entries.map(
        ([key, item]) => `${quoted(str(key), style)}: ${jsonDumps(item, style, depth + 1)}`,
      );
      return bracketed('{}', members, style, depth);
    }
    case 'ellipsis':
    case 'complex':
    case 'bytes':
    case 'set':
      return quoted(repr(value), style);
  }
}

const floatWords: ReadonlyMap<string, string> = new Map([
  ['nan', 'NaN'],
  ['inf', 'Infinity'],
  ['-inf', '-Infinity'],
]);

function bracketed(
  brackets: '[]' | '{}',
  members: readonly string[],
  { indent }: JsonStyle,
  depth: number,
): string {
  const [open, close] = brackets;
  if (members.length === 0) return brackets;
  if (indent === null) return `${open}${members.join(', ')}${close}`;
  const line = (level: number): string => `\n${' '.repeat(indent * level)}`;
  const inner = members.join(`,${line(depth + 1)}`);
  return `${open}${line(depth + 1)}${inner}${line(depth)}${close}`;
}

function quoted(text: string, { ascii }: JsonStyle): string {
  const json = JSON.stringify(text);
  return ascii
    ? json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
}
