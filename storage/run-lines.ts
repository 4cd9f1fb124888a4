import type { z } from 'zod';
import { PortFailure } from '../activities/ports/port-failure.js';
import { DamagedRunFile } from '../activities/ports/run-files.js';
import { keyText, sampleKeySchema, type RunId } from '../domain/ids.js';
import { jsonIn } from '../domain/json-in.js';
import { firstIssue } from '../domain/questions/dataset.js';
import { quickCheck } from '../domain/quick-check.js';

/** A large run has tens of thousands of lines: the quick check comes first. */
export function lineParser<T>(
  run: RunId,
  file: string,
  schema: z.ZodType<T>,
): (line: string, number: number) => T {
  const isSure = quickCheck(schema);
  return (line, number) => {
    const value = jsonIn(line);
    // The check says so.
    if (isSure(value)) return value as T;
    const parsed = schema.safeParse(value);
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
