import { userInfo } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { personSchema, runIdSchema } from '../../../domain/ids.js';
import { plainType, type Option as OptionOf, type Options } from '../../../domain/option.js';
import { UserError } from '../../../domain/user-error.js';
import { parserOf, valueOf, wholeNumberOf } from '../../services/option-values.js';
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
  return option.isBoolean() || option.negate ? option : option.argParser(refusing(parserOf(plain)));
}

/** What a parser refuses, as commander tells it. */
export const refusing =
  <Args extends readonly unknown[], Value>(
    parse: (...args: Args) => Value,
  ): ((...args: Args) => Value) =>
  (...args) => {
    try {
      return parse(...args);
    } catch (error) {
      throw error instanceof UserError ? new InvalidArgumentError(error.message) : error;
    }
  };

/** A commander parser from a schema, so that a bad argument is refused in the schema's words. */
export const parseArgument = <Schema extends z.ZodType>(
  schema: Schema,
): ((text: unknown) => z.output<Schema>) => refusing(valueOf(schema));

/** A commander parser for an argument that may be given several times, one more each time. */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
): (text: string, earlier?: readonly z.output<Schema>[]) => readonly z.output<Schema>[] {
  const parse = parseArgument(schema);
  return (text, earlier = []) => [...earlier, parse(text)];
}

/** A command about one run. */
export const commandOnRun = (program: Command, name: string, description: string): Command =>
  program
    .command(name)
    .description(description)
    .argument('<run>', 'the run', parseArgument(runIdSchema));

/** A commander parser for a whole number within limits. */
export const wholeNumber = (least: number, most: number): ((text: string) => number) =>
  refusing(wholeNumberOf(least, most));
