import type { z } from 'zod';
import { firstIssue } from '../../../domain/formats/json.js';
import { UserError } from '../../../domain/user-error.js';

/** Throws UserError where a request is not as its action wants it. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UserError(`the request is not understood: it ${firstIssue(result.error)}`);
}
