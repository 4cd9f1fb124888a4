// cspell:ignore modle trival exmaple
import { CommanderError, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { registerRun } from '../../../../client/commands/run.js';
import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { deadline } from '../../../../client/services/option-values.js';

/** What is printed where a command line is refused. */
function refusalOf(register: (program: CommandLine) => void, words: readonly string[]): string {
  let printed = '';
  const program = new CommandLine('turnwise').exitOverride();
  program.configureOutput({ writeErr: (text) => (printed += text) });
  register(program);
  expect(() => program.parse(words, { from: 'user' })).toThrow(CommanderError);
  return printed;
}

const registerExample = (program: CommandLine): void => {
  program
    .command('example')
    .argument('[word]')
    .requiredOption('--store <name>', 'needed')
    .option('--model <name>', 'once')
    .option('--where <field...>', 'often')
    .option('--json', 'a switch')
    .addOption(new Option('--method <name>', 'one of two').choices(['hybrid', 'trivial']))
    .action(() => undefined);
};

it('takes an option behind the name of a command as one of that command', () => {
  const taken: unknown[] = [];
  const program = new CommandLine('turnwise');
  const list = program.command('list').option('--json');
  list.action(() => void taken.push('list'));
  list
    .command('rm <word>')
    .option('--json')
    .action((word: string, flags: unknown) => void taken.push([word, flags]));
  program.parse(['list', 'rm', 'a', '--json'], { from: 'user' });
  program.parse(['list', '--json'], { from: 'user' });
  expect(taken).toEqual([['a', { json: true }], 'list']);
});

describe('a command line is refused, with what was probably meant,', () => {
  it.each<[string, readonly string[], RegExp]>([
    [
      'for a mistyped option that is needed',
      ['example', '--stor', 'mine'],
      /^error: unknown option '--stor' \(did you mean --store\?\)\n$/,
    ],
    [
      'for a mistyped option with its value',
      ['example', '--store', 's', '--modle=a'],
      /unknown option '--modle' \(did you mean --model\?\)/,
    ],
    [
      'for an option that is near none',
      ['example', '--store', 's', '--colour', 'red'],
      /^error: unknown option '--colour'\n$/,
    ],
    [
      'for two values of an option that takes one',
      ['example', '--store', 's', '--model', 'a', '--model', 'b'],
      /^error: option '--model <name>' is given twice, and takes one value\n$/,
    ],
    [
      'for a mistyped choice',
      ['example', '--store', 's', '--method', 'trival'],
      /Allowed choices are hybrid, trivial\. \(did you mean trivial\?\)/,
    ],
    ['for a missing option', ['example'], /required option '--store <name>' not specified/],
    [
      'for a mistyped command',
      ['exmaple'],
      /unknown command 'exmaple'\n\(Did you mean example\?\)/,
    ],
  ])('%s', (_, words, message) => {
    expect(refusalOf(registerExample, words)).toMatch(message);
  });

  it('and not for options that take several values, switches, or words behind --', () => {
    const program = new CommandLine('turnwise').exitOverride();
    registerExample(program);
    const options = ['--store', 's', '--where', 'a', '--where', 'b', '--json', '--json', '--quiet'];
    program.parse(['example', ...options, '--', '--word'], { from: 'user' });
    const [command] = program.commands;
    expect(command?.opts()).toMatchObject({ where: ['a', 'b'], json: true, quiet: true });
    expect(command?.args).toEqual(['--word']);
  });
});

describe('the help of', () => {
  it('run shows its options in groups', () => {
    const program = new CommandLine('turnwise');
    registerRun(program);
    const help = program.commands[0]?.helpInformation() ?? '';
    const groups = [...help.matchAll(/^(\w[\w ]*):$/gm)].map(([, group]) => group);
    expect(groups).toEqual(
      expect.arrayContaining(['Run', 'Questions and method', 'Model', 'Judges', 'Limits']),
    );
    // Only what every command has stands in none.
    expect(/^Options:\n((?: .*\n)+)/m.exec(help)?.[1]).toMatch(
      /^ +--quiet .*\n(.*\n)?( +-h.*\n)?$/,
    );
  });
});

describe('a deadline', () => {
  it.each<[string, number]>([
    ['90m', 90 * 60_000],
    ['8h', 8 * 3_600_000],
    ['1.5d', 36 * 3_600_000],
  ])('%s is so far from now', (text, ms) => {
    const before = Date.now();
    const at = Date.parse(deadline(text));
    expect(at).toBeGreaterThanOrEqual(before + ms);
    expect(at).toBeLessThanOrEqual(Date.now() + ms);
  });

  it('may be a date with time, in any zone', () => {
    expect(deadline('2099-01-31T18:00+02:00')).toBe('2099-01-31T16:00:00.000Z');
  });

  it.each<[string, RegExp]>([
    ['2020-01-01T00:00Z', /It must be a time to come/],
    ['0m', /It must be a time to come/],
    ['soon', /date with time/],
    ['', /date with time/],
    ['8', /./],
    ['-8h', /./],
    ['9999999999d', /date with time/],
  ])('%j is refused', (text, reason) => {
    expect(() => deadline(text)).toThrow(reason);
  });
});
