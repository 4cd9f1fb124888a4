import { userInfo } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { firstIssue } from '../../../domain/formats/json.js';
import { personSchema } from '../../../domain/ids.js';
import { plainType, type Option as OptionOf, type Options } from '../../../domain/option.js';
import { plainIssue } from '../../services/read-file.js';
import { RareOption } from './command-line.js';

/** Has a command take options. Their types say what they parse, which words they offer, and whether they are needed. */
export function addOptions<Taker extends Command>(command: Taker, options: Options): Taker {
  for (const [name, each] of Object.entries(options)) {
    command.addOption(commanderOption(name, each));
  }
  return command;
}

/** Who does something, where nobody is named: the user of this machine. */
export const personOption = (help: string): OptionOf<z.ZodDefault<typeof personSchema>> => ({
  value: '<name>',
  help,
  type: personSchema.default(() => process.env['USER'] ?? userInfo().username),
});

/** `--max-turns` of `maxTurns`. */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function commanderOption(name: string, { value, help, type, conflicts, isRare }: OptionOf): Option {
  const absent = type.safeParse(undefined);
  const isOn = value === null && absent.data === true;
  const flag = isOn ? flagOf(name).replace('--', '--no-') : flagOf(name);
  const kind = isRare ? RareOption : Option;
  const plain = plainType(type);
  // It is given once for each value: one that took all that follows would take what stands behind it, too.
  const several = plain instanceof z.ZodArray;
  const option = new kind(
    value === null ? flag : `${flag} ${value}`,
    several ? `${help} (repeatable)` : help,
  );
  option.conflicts([...(conflicts ?? [])]);
  if (absent.success) option.default(absent.data);
  else option.makeOptionMandatory();
  const one = several ? (plain.element as z.ZodType) : plain;
  if (one instanceof z.ZodEnum) {
    option.choices(one.options.map(String));
    // Commander's own parser of one of them refuses all else.
    const parseOne = option.parseArg as ((text: string) => unknown) | undefined;
    return several && parseOne
      ? option.argParser((text: string, earlier: unknown) => [
          ...((earlier ?? []) as unknown[]),
          parseOne(text),
        ])
      : option;
  }
  if (one instanceof z.ZodUnion && one.options[0] instanceof z.ZodEnum) {
    // Some of the words that it takes: a plugin may have more.
    option.argChoices = one.options[0].options.map(String);
  }
  return option.isBoolean() || option.negate ? option : option.argParser(parserOf(plain));
}

/** @param earlier - of an option that may be given several times */
type Parser = (text: string, earlier?: unknown) => unknown;

function parserOf(type: z.ZodType): Parser {
  if (type instanceof z.ZodNumber) {
    const number = type.format === 'safeint' ? wholeNumber : decimal;
    return number(type.minValue ?? -Infinity, type.maxValue ?? Infinity);
  }
  if (type instanceof z.ZodArray) {
    const parseOne = parserOf(type.element as z.ZodType);
    const parseAll = parseArgument(type);
    // Commander hands over what this parser returned for the values before.
    return (text, earlier) => parseAll([...((earlier ?? []) as unknown[]), parseOne(text)]);
  }
  const [word, other] = type instanceof z.ZodUnion ? (type.options as z.ZodType[]) : [];
  if (!(word instanceof z.ZodLiteral) || !other) return parseArgument(type);
  return word.value === true ? parserOf(other) : orWord(String(word.value), parserOf(other));
}

/** A parser that takes one more word. */
function orWord(word: string, parse: Parser): Parser {
  return (text) => {
    if (text === word) return word;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message.replace(/\.$/, '')}, or \`${word}\`.`);
    }
  };
}

/** A commander parser from a schema, so that a bad argument is refused in the schema's words. */
export function parseArgument<Schema extends z.ZodType>(
  schema: Schema,
): (text: unknown) => z.output<Schema> {
  return (text) => {
    const parsed = schema.safeParse(text, { error: plainIssue });
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
