import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  refuseOldName,
  registerCommands,
  examples,
} from '../../../client/commands/all-commands.js';
import { CommandLine } from '../../../client/commands/shared/command-line.js';

const width = 80;

async function programOf(name = 'help'): Promise<CommandLine> {
  const program = new CommandLine('turnwise').description('Agents').version('1.0.0');
  await registerCommands(program, name);
  for (const each of [program, ...commandsBelow(program)]) {
    each.exitOverride().configureOutput({
      writeOut: () => undefined,
      writeErr: () => undefined,
      getOutHelpWidth: () => width,
    });
  }
  return program;
}

const commandsBelow = (command: Command): readonly Command[] =>
  command.commands.flatMap((each) => [each, ...commandsBelow(each)]);

const wordsOf = (command: Command): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();

const all = await programOf();
const commands = commandsBelow(all).filter((each) => each.name() !== 'help');
const linesOf = (text: string): number => text.trimEnd().split('\n').length;

/** As a shell would cut a line, up to where its output goes. */
const shellWords = (line: string): readonly string[] =>
  (line.replace(/ > .*/, '').match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
    word.replace(/^(['"])(.*)\1$/, '$2'),
  );

function everyOption(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  expect(() => command.parse(['--help-all'], { from: 'user' })).toThrow();
  return text;
}

describe('the command line', () => {
  it('fits a screen: 40 lines for all commands, 60 for one', async () => {
    expect(linesOf((await programOf('')).helpInformation())).toBeLessThanOrEqual(40);
    const long = commands
      .map((each) => [wordsOf(each), linesOf(each.helpInformation()) + 6] as const)
      .filter(([, lines]) => lines > 60);
    expect(long).toEqual([]);
  });

  it('has no option that takes what stands behind its value', () => {
    const greedy = commands.flatMap((each) =>
      each.options.filter(({ variadic }) => variadic).map(({ long }) => [wordsOf(each), long]),
    );
    expect(greedy).toEqual([]);
  });

  it.each([
    ['compare', ['a', 'b'], ['--by', 'tags', '--by', 'level'], 'by', ['tags', 'level']],
    ['retry', ['a'], ['--outcome', 'refused', '--outcome', 'turn-limit'], 'outcome', null],
    ['score', ['a'], ['--rules', 'bird'], 'rules', ['bird']],
    ['export', ['a'], ['--out', 'x', '--format', 'csv', '--format', 'json'], 'format', null],
  ])(
    '%s takes its options before and behind its arguments',
    async (name, words, flags, key, is) => {
      const taken: unknown[] = [];
      for (const line of [
        [...flags, ...words],
        [...words, ...flags],
        [...flags.slice(0, 2), ...words, ...flags.slice(2)],
      ]) {
        const command = (await programOf(name)).commands.find((each) => each.name() === name);
        command?.action(() => undefined).parse(line, { from: 'user' });
        taken.push([command?.args, command?.getOptionValue(key)]);
      }
      expect(taken[0]).toEqual([
        words,
        is ?? flags.filter((_, at) => at % 2 === 1).filter((value) => value !== 'x'),
      ]);
      expect(taken).toEqual([taken[0], taken[0], taken[0]]);
    },
  );

  it('lists the commands that there are, each in a line', async () => {
    const listed = (await programOf('')).commands.map((each) => each.name());
    expect(listed).toEqual(all.commands.map((each) => each.name()));
  });

  it('shows with --help-all what --help counts', async () => {
    const run = (await programOf('run')).commands[0];
    const short = run?.helpInformation() ?? '';
    const [, more] = /^(\d+) more options: --help-all$/m.exec(short) ?? [];
    const whole = run ? everyOption(run) : '';
    const optionsIn = (text: string): number => text.match(/^ {2}--/gm)?.length ?? 0;
    expect(optionsIn(whole) - optionsIn(short)).toBe(Number(more));
    expect(whole).toContain('--observation-format');
    expect(short).not.toContain('--observation-format');
    expect(whole).toContain('"trivial_question_only"');
  });

  it('shows with `help` the help of the command itself', async () => {
    const program = await programOf('help');
    let text = '';
    for (const each of commandsBelow(program))
      each.configureOutput({ writeOut: (part) => (text += part) });
    expect(() => program.parse(['help', 'run'], { from: 'user' })).toThrow();
    expect(text).toContain('--budget-usd');
  });

  it('takes an option that --help leaves out', async () => {
    const program = await programOf('run');
    let given: unknown;
    program.commands[0]?.action((_dataset: string, flags: unknown) => {
      given = flags;
    });
    await program.parseAsync(['run', 'a.jsonl', '--observation-format', 'html'], { from: 'user' });
    expect(given).toMatchObject({ observationFormat: 'html' });
  });

  it('has examples of every command', () => {
    const leaves = commands.filter((each) => each.commands.length === 0).map(wordsOf);
    expect(leaves.filter((words) => (examples[words] ?? []).length === 0)).toEqual([]);
    const names = commands.map(wordsOf);
    expect(Object.keys(examples).filter((words) => !names.includes(words))).toEqual([]);
  });

  it.each(
    Object.values(examples)
      .flat()
      .filter((line) => line.startsWith('turnwise ')),
  )('takes its example: %s', async (line) => {
    const program = await programOf();
    let ran = 0;
    for (const each of commandsBelow(program))
      each.action(() => {
        ran += 1;
      });
    await program.parseAsync(shellWords(line).slice(1), { from: 'user' });
    expect(ran).toBe(1);
  });

  it.each([
    [['ingest', 'a.pdf', '--store', 's'], '`ingest` is now `turnwise store add`'],
    [['enrich'], '`enrich` is now `turnwise store enrich`'],
    [['store', 'drop', 's'], '`store drop` is now `turnwise store rm`'],
    [['rm', 'a'], '`rm` is now `turnwise runs rm`'],
    [['skip', 'a', 'q'], '`skip` is now `turnwise cancel RUN QUESTION`'],
    [['prompt'], '`prompt` is now `turnwise ask --dry-run`'],
    [['store', 'list', '--copies'], '`store list --copies` is now `turnwise disk`'],
    [['store', 'rm', '--copies', '--yes'], '`store rm --copies` is now `turnwise disk --free`'],
  ])('answers old names with the new one: %j', (words, sentence) => {
    expect(() => {
      refuseOldName(words);
    }).toThrow(sentence);
  });

  it('takes no other words for old names', () => {
    for (const words of [['toString'], [], ['store', 'add'], ['store', 'list'], ['runs', 'rm']])
      expect(() => {
        refuseOldName(words);
      }).not.toThrow();
  });
});
