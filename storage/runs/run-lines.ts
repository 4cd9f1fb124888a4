import type { z } from 'zod';
import { DamagedRunFile } from '../../activities/ports/run-files.js';
import { exactJsonIn, firstIssue, jsonIn } from '../../domain/formats/json.js';
import type { RunId } from '../../domain/ids.js';
import type { KeyOfLine } from '../append-once-file.js';

/** The lines of a text that are not blank. */
export const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '');

/** Reads one line of a run's file by its schema. The function throws DamagedRunFile, with the line's number. */
export function lineParser<T>(
  run: RunId,
  file: string,
  schema: z.ZodType<T>,
): (line: string, number: number) => T {
  return (line, number) => {
    const parsed = schema.safeParse(exactJsonIn(line));
    if (parsed.success) return parsed.data;
    throw new DamagedRunFile(run, `${file}, line ${number},`, firstIssue(parsed.error));
  };
}

/** @param schema - of a line that is whole */
export const keyOfLine =
  <T>(schema: z.ZodType<T>, keyOf: (line: T) => string): KeyOfLine =>
  (line) => {
    const parsed = schema.safeParse(jsonIn(line));
    return parsed.success ? keyOf(parsed.data) : null;
  };
