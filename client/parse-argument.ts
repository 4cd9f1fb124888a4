import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { firstIssue } from '../domain/questions/dataset.js';

/** A commander parser from a schema, so that a bad argument is refused in the schema's words. */
export function parseArgument<Schema extends z.ZodType>(
  schema: Schema,
): (text: string) => z.output<Schema> {
  return (text) => {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It ${firstIssue(parsed.error)}.`);
  };
}

/** A commander parser for an argument that may be given several times, one more each time. */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
): (text: string, earlier?: readonly z.output<Schema>[]) => readonly z.output<Schema>[] {
  const parse = parseArgument(schema);
  return (text, earlier = []) => [...earlier, parse(text)];
}
