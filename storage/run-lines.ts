import type { z } from 'zod';
import { PortFailure } from '../activities/ports/port-failure.js';
import { DamagedRunFile } from '../activities/ports/run-files.js';
import { firstIssue, jsonIn } from '../domain/formats/json.js';
import { keyText, sampleKeySchema, type RunId } from '../domain/ids.js';

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
    const parsed = schema.safeParse(jsonIn(line));
    if (parsed.success) return parsed.data;
    throw new DamagedRunFile(run, `${file}, line ${number},`, firstIssue(parsed.error));
  };
}

/** The key of a line of results or scores. */
export function keyOfLine(path: string): (line: string) => string {
  return (line) => {
    const parsed = sampleKeySchema.safeParse(jsonIn(line));
    if (parsed.success) return keyText(parsed.data);
    throw new PortFailure('InvalidRun', `${path} has a line without uuid and epoch: ${line}`);
  };
}
