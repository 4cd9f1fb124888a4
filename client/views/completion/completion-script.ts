// cspell:ignore compdef compadd funcstack
import type { DescribedCommand, DescribedOption, Values } from './described-command.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What a shell reads to complete the commands of turnwise. */
export function completionScript(shell: Shell, commands: readonly DescribedCommand[]): string {
  switch (shell) {
    case 'bash':
      return `${tables(commands)}${bashFunction}`;
    case 'zsh':
      return `#compdef turnwise\n${tables(commands)}${zshFunction}`;
    case 'fish':
      return fishLines(commands);
  }
}

/** Bash and zsh look up in these what may stand behind a command, and behind an option of it. */
const tables = (commands: readonly DescribedCommand[]): string => `
_turnwise_runs() {
  command ls "\${TURNWISE_HOME:-.turnwise}/runs" 2>/dev/null
}

_turnwise_options() {
  case "$1" in
${commands.map(({ path, options }) => `    ${quoted(path)}) echo ${quoted(options.flatMap(({ names }) => names).join(' '))} ;;`).join('\n')}
  esac
}

_turnwise_commands() {
  case "$1" in
${commands
  .filter((command) => command.commands.length > 0)
  .map((each) => `    ${quoted(each.path)}) echo ${quoted(names(each).join(' '))} ;;`)
  .join('\n')}
  esac
}

# What an option takes, or with no option the command itself: nothing, @any, @files, @runs, or words.
_turnwise_values() {
  case "$1" in
${commands.flatMap(valueLines).join('\n')}
  esac
}
`;

const names = ({ commands }: DescribedCommand): readonly string[] =>
  commands.map(({ name }) => name);

const valueLines = ({ path, options, arguments: taken }: DescribedCommand): readonly string[] => [
  `    ${quoted(`${path} `)}) echo ${quoted(tableValue(taken))} ;;`,
  ...options.flatMap((option) =>
    option.values === null
      ? []
      : option.names.map(
          (name) =>
            `    ${quoted(`${path} ${name}`)}) echo ${quoted(tableValue(option.values))} ;;`,
        ),
  ),
];

const tableValue = (values: Values | null): string =>
  values === null ? '' : values.kind === 'words' ? values.words.join(' ') : `@${values.kind}`;

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
function fishLines(commands: readonly DescribedCommand[]): string {
  return [
    'complete -c turnwise -f',
    'function __turnwise_runs',
    '  set -q TURNWISE_HOME; and set home $TURNWISE_HOME; or set home .turnwise',
    '  command ls $home/runs 2>/dev/null',
    'end',
    ...commands.flatMap((command) => [
      ...command.commands.map(
        ({ name, description }) =>
          `${fishBehind(command, true)} -a ${fishQuoted(name)} -d ${fishQuoted(description)}`,
      ),
      ...(command.commands.length > 0 || command.arguments.kind === 'any'
        ? []
        : [`${fishBehind(command)} ${fishValues(command.arguments)}`]),
      ...command.options.map((option) => `${fishBehind(command)} ${fishOption(option)}`),
    ]),
    '',
  ].join('\n');
}

/** The beginning of a line that holds behind a command. @param next - only while none of its own commands was typed */
function fishBehind(command: DescribedCommand, next = false): string {
  const [, ...typed] = command.path.split(' ');
  const conditions = [
    ...typed.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(next || typed.length === 0
      ? [`not __fish_seen_subcommand_from ${names(command).join(' ')}`]
      : []),
  ];
  return `complete -c turnwise -n ${fishQuoted(conditions.join('; and '))}`;
}

function fishOption({ names: typed, description, values }: DescribedOption): string {
  const flags = typed.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const taken = values === null ? [] : ['-r', fishValues(values)];
  return [...flags, ...taken, `-d ${fishQuoted(description)}`]
    .filter((part) => part !== '')
    .join(' ');
}

function fishValues(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `-f -a ${fishQuoted(values.words.join(' '))}`;
    case 'runs':
      return `-f -a '(__turnwise_runs)'`;
    case 'files':
      return '-F';
    case 'any':
      return '-f';
  }
}

const fishQuoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
