import { floatText, repr, str } from './text.js';
import type { PythonValue } from './value.js';

export interface JsonStyle {
  /** Blanks a level is indented by; null for one line. */
  readonly indent: number | null;
  /** Whether all but ASCII is escaped, as Python does unless told otherwise. */
  readonly ascii: boolean;
}

/** Python's `json.dumps(value)`. What JSON cannot hold becomes the text of its `repr`. */
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
