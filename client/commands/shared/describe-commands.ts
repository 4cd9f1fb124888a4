import type { Argument, Command, Option } from 'commander';
import type {
  DescribedCommand,
  DescribedOption,
  Values,
} from '../../views/completion/described-command.js';

/** The program and every command of it, each before its own commands, from what commander knows of them. */
export function describeCommands(command: Command, above = ''): readonly DescribedCommand[] {
  const path = `${above} ${command.name()}`.trim();
  const help = command.createHelp();
  const commands = help
    .visibleCommands(command)
    .filter((each) => command.commands.includes(each))
    .map((each) => ({ each, name: each.name(), description: each.description() }));
  const described: DescribedCommand = {
    path,
    description: command.description(),
    options: help.visibleOptions(command).map(describeOption),
    commands: commands.map(({ name, description }) => ({ name, description })),
    arguments: valuesOfArguments(command.registeredArguments),
  };
  return [described, ...commands.flatMap(({ each }) => describeCommands(each, path))];
}

const describeOption = (option: Option): DescribedOption => ({
  names: [option.short, option.long].flatMap((name) => name ?? []),
  description: option.description,
  values: option.required || option.optional ? valuesOf(option.flags, option.argChoices) : null,
});

function valuesOfArguments(all: readonly Argument[]): Values {
  const [first] = all;
  if (!first) return { kind: 'any' };
  return valuesOf(`<${first.name()}>`, first.argChoices);
}

/** A place is named for what it takes: `--plugin <file>`, `<run...>`. */
function valuesOf(place: string, choices: readonly string[] | undefined): Values {
  if (choices) return { kind: 'words', words: choices };
  if (/<(run|runs|baseline)\b/.test(place)) return { kind: 'runs' };
  return /<(file|folder|path|dataset|dir|jsonl|csv)\b/.test(place)
    ? { kind: 'files' }
    : { kind: 'any' };
}
