// cspell:ignore compdef compadd funcstack zfunc
import { Argument, Help, type Command, type Option } from 'commander';
import { print } from '../services/tell.js';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('what your shell reads to complete commands, options and runs')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => {
      print(completionScript(shell, program));
    });
}

/** What a shell reads to complete the commands of a program. */
export function completionScript(shell: Shell, program: Command): string {
  const commands = commandsIn(program);
  switch (shell) {
    case 'bash':
      return `${tables(commands)}${bashFunction}`;
    case 'zsh':
      return `#compdef turnwise\n${tables(commands)}${zshFunction}`;
    case 'fish':
      return fishLines(commands);
  }
}

/** A command as a shell completes it. */
interface Completed {
  /** From the program's name on: `turnwise store check`. */
  readonly path: string;
  readonly options: readonly Option[];
  /** Its own commands. */
  readonly commands: readonly Command[];
  /** What its arguments are. */
  readonly takes: string;
}

/** The program and every command of it that is not hidden, each before its own commands. */
function commandsIn(command: Command, above = ''): readonly Completed[] {
  const path = `${above} ${command.name()}`.trim();
  // The plain one: what `--help` leaves out is completed, too.
  const help = new Help();
  const commands = help.visibleCommands(command).filter((each) => command.commands.includes(each));
  const [first] = command.registeredArguments;
  const takes = first ? valuesOf(`<${first.name()}>`, first.argChoices) : '@any';
  return [
    { path, options: help.visibleOptions(command), commands, takes },
    ...commands.flatMap((each) => commandsIn(each, path)),
  ];
}

/**
 * What can stand in a place, as it is named for what it takes (`--plugin <file>`, `<run...>`): words, `@runs`, `@files`, or
 * `@any`, which is a number or a name of the user's own.
 */
function valuesOf(place: string, choices: readonly string[] | undefined): string {
  if (choices) return choices.join(' ');
  if (/<(run|runs|baseline)\b/.test(place)) return '@runs';
  return /<(file|folder|path|dataset|dir|jsonl|csv)\b/.test(place) ? '@files' : '@any';
}

/** Null if it takes no value. */
const valuesOfOption = ({ required, optional, flags, argChoices }: Option): string | null =>
  required || optional ? valuesOf(flags, argChoices) : null;

const namesOf = ({ short, long }: Option): readonly string[] =>
  [short, long].flatMap((name) => name ?? []);

const joined = (commands: readonly Command[]): string =>
  commands.map((each) => each.name()).join(' ');

/** Bash and zsh look up in these what may stand behind a command, and behind an option of it. */
const tables = (commands: readonly Completed[]): string => `
_turnwise_runs() {
  command ls "\${TURNWISE_HOME:-.turnwise}/runs" 2>/dev/null
}

_turnwise_options() {
  case "$1" in
${caseLines(commands.map(({ path, options }) => [path, options.flatMap(namesOf).join(' ')]))}
  esac
}

_turnwise_commands() {
  case "$1" in
${caseLines(
  commands.flatMap(({ path, commands: own }) => (own.length > 0 ? [[path, joined(own)]] : [])),
)}
  esac
}

# What an option takes, or with no option the command itself: nothing, @any, @files, @runs, or words.
_turnwise_values() {
  case "$1" in
${caseLines(commands.flatMap(valueCases))}
  esac
}
`;

type Case = readonly [of: string, said: string];

const caseLines = (cases: readonly Case[]): string =>
  cases.map(([of, said]) => `    ${quoted(of)}) echo ${quoted(said)} ;;`).join('\n');

const valueCases = ({ path, options, takes }: Completed): readonly Case[] => [
  [`${path} `, takes],
  ...options.flatMap((option) => {
    const values = valuesOfOption(option);
    return values === null ? [] : namesOf(option).map((name): Case => [`${path} ${name}`, values]);
  }),
];

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Sets `place` to the command that the cursor is in, and `option` to the option whose value it is at, or to nothing. */
const walk = (words: string, first: string, last: string): string => `
  local place=turnwise option= word known
  local -i at=${first}
  while (( at < ${last} )); do
    word="\${${words}[at]}"
    if [[ -n "$option" ]]; then
      option=
    elif [[ "$word" == -* ]]; then
      [[ -n "$(_turnwise_values "$place $word")" ]] && option="$word"
    else
      known=" $(_turnwise_commands "$place") "
      [[ "$known" == *" $word "* ]] && place="$place $word"
    fi
    (( at += 1 ))
  done`;

/** What may stand at the cursor, as both shells find it. */
const findWords = `
  local found
  if [[ -z "$option" && "$current" == -* ]]; then
    found="$(_turnwise_options "$place")"
  elif [[ -z "$option" && -n "$(_turnwise_commands "$place")" ]]; then
    found="$(_turnwise_commands "$place")"
  else
    found="$(_turnwise_values "$place $option")"
  fi`;

const bashFunction = `
_turnwise() {
  local current="\${COMP_WORDS[COMP_CWORD]}"${walk('COMP_WORDS', '1', 'COMP_CWORD')}${findWords}
  case "$found" in
    @any) COMPREPLY=() ;;
    @runs) COMPREPLY=($(compgen -W "$(_turnwise_runs)" -- "$current")) ;;
    @files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    *) COMPREPLY=($(compgen -W "$found" -- "$current")) ;;
  esac
}
complete -F _turnwise turnwise
`;

const zshFunction = `
_turnwise() {
  local current="\${words[CURRENT]}"${walk('words', '2', 'CURRENT')}${findWords}
  case "$found" in
    @any) return 1 ;;
    @runs) compadd -- \${(f)"$(_turnwise_runs)"} ;;
    @files) _files ;;
    *) compadd -- \${=found} ;;
  esac
}
if [[ "$funcstack[1]" == _turnwise ]]; then _turnwise "$@"; else compdef _turnwise turnwise; fi
`;

/** One line for each command and each option, with its description. */
const fishLines = (commands: readonly Completed[]): string =>
  [
    'complete -c turnwise -f',
    'function __turnwise_runs',
    '  set -q TURNWISE_HOME; and set home $TURNWISE_HOME; or set home .turnwise',
    '  command ls $home/runs 2>/dev/null',
    'end',
    ...commands.flatMap((command) => [
      ...command.commands.map(
        (own) =>
          `${fishBehind(command, true)} -a ${fishQuoted(own.name())} -d ${fishQuoted(own.description())}`,
      ),
      ...(command.commands.length > 0 || command.takes === '@any'
        ? []
        : [`${fishBehind(command)} ${fishValues(command.takes)}`]),
      ...command.options.map((option) => `${fishBehind(command)} ${fishOption(option)}`),
    ]),
    '',
  ].join('\n');

/** The beginning of a line that holds behind a command. @param next - only while none of its own commands was typed */
function fishBehind({ path, commands }: Completed, next = false): string {
  const [, ...typed] = path.split(' ');
  const conditions = [
    ...typed.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(next || typed.length === 0 ? [`not __fish_seen_subcommand_from ${joined(commands)}`] : []),
  ];
  return `complete -c turnwise -n ${fishQuoted(conditions.join('; and '))}`;
}

function fishOption(option: Option): string {
  const flags = namesOf(option).map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const values = valuesOfOption(option);
  const taken = values === null ? [] : ['-r', fishValues(values)];
  return [...flags, ...taken, `-d ${fishQuoted(option.description)}`].join(' ');
}

const fishValues = (values: string): string =>
  ({ '@runs': "-f -a '(__turnwise_runs)'", '@files': '-F', '@any': '-f' })[values] ??
  `-f -a ${fishQuoted(values)}`;

const fishQuoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
