import {
  Command,
  Help,
  InvalidArgumentError,
  Option,
  type Argument,
  type ErrorOptions,
  type ParseOptionsResult,
} from 'commander';
import { didYouMean } from '../../../domain/formats/did-you-mean.js';
import { userInfo } from 'node:os';
import { z } from 'zod';
import { personSchema, runIdSchema } from '../../../domain/ids.js';
import { plainType, type Option as OptionOf, type Options } from '../../../domain/option.js';
import { UserError } from '../../../domain/user-error.js';
import { parserOf, valueOf, wholeNumberOf } from '../../services/option-values.js';

/** An option that few need: `--help-all` shows it, `--help` does not. */
class RareOption extends Option {}

/** As many words can be chosen from before they are left to `--help-all`. */
const fewChoices = 7;

/** Help that fits a screen: a line for a command, and no option that few need. */
class ShortHelp extends Help {
  constructor(private readonly showsAll: boolean) {
    super();
  }

  override subcommandTerm(command: Command): string {
    return command.name();
  }

  /** `help run` is `run --help`. */
  override visibleCommands(command: Command): Command[] {
    return super.visibleCommands(command).filter((each) => each.name() !== 'help');
  }

  override visibleOptions(command: Command): Option[] {
    const options = super.visibleOptions(command);
    return this.showsAll ? options : options.filter((option) => !(option instanceof RareOption));
  }

  override optionDescription(option: Option): string {
    const { argChoices = [], description } = option;
    if (this.showsAll || argChoices.length <= fewChoices) return super.optionDescription(option);
    return `${description} (default: ${JSON.stringify(option.defaultValue)}; --help-all shows ${argChoices.length})`;
  }

  override formatHelp(command: Command, helper: Help): string {
    const text = super.formatHelp(command, helper);
    const more = super.visibleOptions(command).length - this.visibleOptions(command).length;
    const whole = more === 0 ? text : `${text}\n${more} more options: --help-all\n`;
    // Of the program itself, whose groups are many, without lines between them.
    return command.parent ? whole : whole.replaceAll('\n\n', '\n');
  }
}

/** A command whose mistyped and doubled options are named, each with what was probably meant. */
export class CommandLine extends Command {
  constructor(name?: string) {
    super(name);
    // `--json` behind `runs rm` is not an option of `runs`.
    this.enablePositionalOptions();
  }

  override createCommand(name?: string): CommandLine {
    return new CommandLine(name).option('--quiet', 'only results, warnings and errors');
  }

  /** Takes options. Their types say what they parse, which words they offer, and whether they are needed. */
  takes(options: Options): this {
    for (const [name, each] of Object.entries(options)) {
      this.addOption(commanderOption(name, each));
    }
    return this;
  }

  /** A command about one run. */
  commandOnRun(name: string, description: string): CommandLine {
    const command = this.command(name).description(description);
    return command.argument('<run>', 'the run', parseArgument(runIdSchema));
  }

  /** Who leaves an argument out is shown all of them. */
  override error(message: string, options?: ErrorOptions): never {
    const usage = (): string => `: ${this.createHelp().commandUsage(this)}`;
    const isMissing = options?.code === 'commander.missingArgument';
    return super.error(isMissing ? `${message}${usage()}` : message, options);
  }

  #showsAll = false;

  override createHelp(): Help {
    return Object.assign(new ShortHelp(this.#showsAll), this.configureHelp());
  }

  #offerAllHelp(): void {
    if (this.options.some(({ long }) => long === '--help-all')) return;
    super.addOption(new Option('--help-all', 'help with every option').helpGroup('Options:'));
    this.on('option:help-all', () => {
      this.#showsAll = true;
      this.help();
    });
  }

  override addOption(option: Option): this {
    suggestChoices(option);
    if (option instanceof RareOption) this.#offerAllHelp();
    super.addOption(option);
    this.#refuseTwice(option);
    return this;
  }

  override addArgument(argument: Argument): this {
    suggestChoices(argument);
    return super.addArgument(argument);
  }

  /** An option that is not known is named before one that is missing: it is often the same one, mistyped. */
  override parseOptions(argv: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(argv);
    const stranger = parsed.unknown.find((word) => /^--?[a-z]/i.test(word));
    if (this.commands.length === 0 && stranger !== undefined && !/^(-h|--help)$/.test(stranger)) {
      const [name = stranger] = stranger.split('=', 1);
      const known = this.options.flatMap(({ long }) => long ?? []);
      this.error(`error: unknown option '${name}'${didYouMean(name, known)}`, {
        code: 'commander.unknownOption',
      });
    }
    return parsed;
  }

  /** Of two values the last one would hold without a word. Options that take several collect them. */
  #refuseTwice(option: Option): void {
    if (option.isBoolean() || option.negate) return;
    let times = 0;
    this.on(`option:${option.name()}`, () => {
      times += 1;
      if (times === 1 || typeof this.getOptionValue(option.attributeName()) === 'object') return;
      this.error(`error: option '${option.flags}' is given twice, and takes one value`);
    });
  }
}

function suggestChoices(place: Option | Argument): void {
  const { argChoices: choices, parseArg } = place;
  if (choices === undefined || parseArg === undefined) return;
  place.parseArg = <T>(value: string, earlier: T): T => {
    try {
      return parseArg(value, earlier);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message}${didYouMean(value, choices)}`);
    }
  };
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

/** A commander parser for a whole number within limits. */
export const wholeNumber = (least: number, most: number): ((text: string) => number) =>
  refusing(wholeNumberOf(least, most));
