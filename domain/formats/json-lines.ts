import type { z } from 'zod';
import { firstIssue, jsonIn } from './json.js';

export interface NumberedLine<T> {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly value: T;
}

export interface JsonLines<T> {
  readonly lines: readonly NumberedLine<T>[];
  /** Each problem names its line. */
  readonly problems: readonly string[];
}

/** The lines of a JSONL text that match a schema, and the problems of the others. Blank lines are skipped. */
export function readJsonLines<T>(text: string, schema: z.ZodType<T>): JsonLines<T> {
  const lines: NumberedLine<T>[] = [];
  const problems: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = schema.safeParse(jsonIn(line));
    if (parsed.success) lines.push({ line: index + 1, text: line, value: parsed.data });
    else problems.push(`line ${index + 1}: ${firstIssue(parsed.error)}`);
  }
  return { lines, problems };
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
