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

/** An option that few need: `--help-all` shows it, `--help` does not. */
export class RareOption extends Option {}

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
