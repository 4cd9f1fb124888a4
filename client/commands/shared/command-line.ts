import {
  Command,
  InvalidArgumentError,
  type Argument,
  type Option,
  type ParseOptionsResult,
} from 'commander';
import { didYouMean } from '../../../domain/formats/did-you-mean.js';

/** A command whose mistyped and doubled options are named, each with what was probably meant. */
export class CommandLine extends Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name).option(
      '--quiet',
      'print no progress and no forecast: only results, warnings and errors',
    );
  }

  override addOption(option: Option): this {
    suggestChoices(option);
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

/** Shows commands below the help of one. */
export const addExamples = (command: Command, examples: readonly string[]): Command =>
  command.addHelpText(
    'after',
    ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n'),
  );
