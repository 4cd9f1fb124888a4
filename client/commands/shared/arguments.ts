import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { firstIssue } from '../../../domain/formats/json.js';

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

/** A commander parser for a whole number within limits. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** A commander parser for a number within limits. */
export function decimal(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A commander parser for a moment to come: a date with time, or a time from now. As ISO 8601. */
export function deadline(text: string): string {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([mhd])$/.exec(text) ?? [];
  const at =
    number !== undefined && unit !== undefined
      ? Date.now() + Number(number) * units[unit as keyof typeof units]
      : Date.parse(text);
  if (!(at < 8.64e15)) {
    throw new InvalidArgumentError(
      'It must be a date with time, such as 2027-01-31T18:00Z, or a time from now, such as 90m, 8h or 2d.',
    );
  }
  if (at <= Date.now()) throw new InvalidArgumentError('It must be a time to come.');
  return new Date(at).toISOString();
}
