import { z } from 'zod';
import { exactJsonIn, firstIssue, jsonIn } from './json.js';
import { pythonFromJsonText } from './python/json.js';

export interface NumberedLine<T> {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly value: T;
}

export interface JsonLines<T> {
  readonly lines: readonly NumberedLine<T>[];
  /** What is wrong with the other lines, counted from 1. */
  readonly flaws: readonly { readonly line: number; readonly message: string }[];
  /** The same; each names its line. */
  readonly problems: readonly string[];
}

/** The lines of a JSONL text that match a schema, and the problems of the others. Blank lines are skipped. */
export function readJsonLines<T>(text: string, schema: z.ZodType<T>): JsonLines<T> {
  const lines: NumberedLine<T>[] = [];
  const flaws: { line: number; message: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const json = exactJsonIn(line);
    const parsed = schema.safeParse(json);
    if (parsed.success) lines.push({ line: index + 1, text: line, value: parsed.data });
    else
      flaws.push({ line: index + 1, message: notAnObject(json, line) ?? firstIssue(parsed.error) });
  }
  return { lines, flaws, problems: flaws.map(({ line, message }) => `line ${line}: ${message}`) };
}

/** Why a line holds no JSON object; null if it does. */
function notAnObject(json: unknown, line: string): string | null {
  if (Array.isArray(json)) return 'is a list, where one JSON object is wanted';
  if (json !== undefined) return null;
  if (pythonFromJsonText(line) !== null) {
    return 'is not a JSON object: JSON has no NaN and no Infinity, write them as texts, such as "NaN"';
  }
  return /^\s*[[{]/.test(line)
    ? 'is not a JSON object: one that is written over several lines must stand on one, or in a list'
    : 'is not a JSON object';
}

const objectsSchema = z.array(z.record(z.string(), z.unknown()));
const textsAndBrackets = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g;

/** A JSON list of objects as JSONL: each on the line where it begins, if no other begins there. Any other text as it is. */
export function jsonLinesIn(text: string): string {
  if (!/^\s*\[/.test(text) || !objectsSchema.safeParse(jsonIn(text)).success) return text;
  const lines: string[] = [];
  let [depth, start, line, counted] = [0, 0, 0, 0];
  for (const { 0: part, index } of text.matchAll(textsAndBrackets)) {
    if (part === '[' || part === '{') {
      if (++depth !== 2) continue;
      start = index;
      line += text.slice(counted, start).split('\n').length - 1;
      counted = start;
    } else if ((part === ']' || part === '}') && --depth === 1) {
      while (lines.length < line) lines.push('');
      lines.push(text.slice(start, index + 1).replaceAll(/\s*\n\s*/g, ' '));
    }
  }
  return lines.map((each) => `${each}\n`).join('');
}

/** A message for each line whose key occurs on an earlier line. */
export function duplicateKeys<T>(
  lines: readonly NumberedLine<T>[],
  keyOf: (value: T) => string,
): readonly string[] {
  const lineOf = new Map<string, number>();
  return lines.flatMap(({ line, value }) => {
    const key = keyOf(value);
    const earlier = lineOf.get(key);
    if (earlier === undefined) lineOf.set(key, line);
    return earlier === undefined ? [] : [`line ${line}: ${key} stands on line ${earlier} already`];
  });
}
