import { z } from 'zod';
import { firstIssue } from '../../domain/formats/json.js';
import { UserError } from '../../domain/user-error.js';
import { plainIssue } from './read-file.js';

/** @param earlier - of an option that may be given several times */
type Parser = (text: string, earlier?: unknown) => unknown;

/** What turns the text of an option into its value, by its type. Throws UserError in the words of the type. */
export function parserOf(type: z.ZodType): Parser {
  if (type instanceof z.ZodNumber) {
    const number = type.format === 'safeint' ? wholeNumberOf : decimalOf;
    return number(type.minValue ?? -Infinity, type.maxValue ?? Infinity);
  }
  if (type instanceof z.ZodArray) {
    const parseOne = parserOf(type.element as z.ZodType);
    const parseAll = valueOf(type);
    // Commander hands over what this parser returned for the values before.
    return (text, earlier) => parseAll([...((earlier ?? []) as unknown[]), parseOne(text)]);
  }
  const [word, other] = type instanceof z.ZodUnion ? (type.options as z.ZodType[]) : [];
  if (!(word instanceof z.ZodLiteral) || !other) return valueOf(type);
  return word.value === true ? parserOf(other) : orWord(String(word.value), parserOf(other));
}

/** A parser that takes one more word. */
function orWord(word: string, parse: Parser): Parser {
  return (text) => {
    if (text === word) return word;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`${error.message.replace(/\.$/, '')}, or \`${word}\`.`);
    }
  };
}

/** A parser from a schema, so that a bad argument is refused in the schema's words. */
export function valueOf<Schema extends z.ZodType>(
  schema: Schema,
): (text: unknown) => z.output<Schema> {
  return (text) => {
    const parsed = schema.safeParse(text, { error: plainIssue });
    if (parsed.success) return parsed.data;
    throw new UserError(`It ${firstIssue(parsed.error)}.`);
  };
}

/** A parser for a whole number within limits. */
export function wholeNumberOf(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new UserError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** A parser for a number within limits. */
function decimalOf(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new UserError(`It must be a number from ${least} to ${most}.`);
  };
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds; null for a text that is no time such as `90m`. */
function timeOf(text: string): number | null {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(s|m|h|d)$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * units[unit as keyof typeof units];
}

/** A parser for a time that passes, in milliseconds. */
export function timeSpan(text: string): number {
  const ms = timeOf(text);
  if (ms !== null && ms >= 1_000 && ms <= 30 * units.d) return ms;
  throw new UserError('It must be a time from 1s to 30d, such as 90s, 5m or 2h.');
}

/** A parser for a moment to come: a date with time, or a time from now. As ISO 8601. */
export function deadline(text: string): string {
  const ms = timeOf(text);
  const at = ms === null ? Date.parse(text) : Date.now() + ms;
  if (!(at < 8.64e15)) {
    throw new UserError(
      'It must be a date with time, such as 2027-01-31T18:00Z, or a time from now, such as 90m, 8h or 2d.',
    );
  }
  if (at <= Date.now()) throw new UserError('It must be a time to come.');
  return new Date(at).toISOString();
}
