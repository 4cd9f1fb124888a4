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
