// cspell:ignore compdef zfunc
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { completionScript } from '../../../client/commands/completion.js';

const program = new CommandLine('turnwise').description("the tool's");
program
  .command('run')
  .description("asks a dataset's questions")
  .argument('<dataset>')
  .option('--plugin <file>', 'a module')
  .option('--limit <n>', 'how many')
  .option('--replay <run>', 'a run')
  .option('--json', 'one document')
  .addOption(new Option('--method <name>', 'how').choices(['hybrid', 'trivial']));
program.command('status').argument('<run>');
program.command('secret', { hidden: true });
const store = program.command('store');
store.command('check').argument('<store>').option('--repair', 'mend it');
store.command('drop').argument('<store>');
program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']));

const home = mkdtempSync(join(tmpdir(), 'turnwise-home-'));
mkdirSync(join(home, 'runs', 'monday'), { recursive: true });
mkdirSync(join(home, 'runs', 'tuesday'));
writeFileSync(join(home, 'my questions.jsonl'), '');
writeFileSync(join(home, 'mine.ts'), '');

/** What a real bash offers behind these words; the last one is where the cursor is. */
function offered(...words: readonly string[]): readonly string[] {
  const typed = ['turnwise', ...words].map((word) => `'${word}'`).join(' ');
  const script = `set -u
${completionScript('bash', program)}
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}
_turnwise
printf '%s\\n' "\${COMPREPLY[@]-}"`;
  const env = { PATH: process.env['PATH'], TURNWISE_HOME: home };
  return execFileSync('bash', ['--norc', '-c', script], { cwd: home, env, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

describe('in bash', () => {
  it.each<[string, string[], string[]]>([
    ['commands', ['st'], ['status', 'store']],
    ['no hidden command', ['se'], []],
    ['the commands of a command', ['store', ''], ['check', 'drop']],
    ['options', ['run', 'my.jsonl', '--m'], ['--method']],
    ['options of the command of a command', ['store', 'check', '--re'], ['--repair']],
    ['choices', ['run', '--method', 'h'], ['hybrid']],
    ['choices of an argument', ['completion', ''], ['bash', 'zsh']],
    ['files of an option', ['run', '--plugin', 'mine'], ['mine.ts']],
    ['files of an argument, spaces included', ['run', '--json', 'my'], ['my questions.jsonl']],
    ['runs', ['status', ''], ['monday', 'tuesday']],
    ['runs of an option', ['run', 'x.jsonl', '--replay', 't'], ['tuesday']],
    ['nothing for a number', ['run', '--limit', ''], []],
    [
      'an argument behind the value of an option',
      ['run', '--limit', '3', 'my'],
      ['my questions.jsonl'],
    ],
    [
      'the argument where a value has the name of a command',
      ['store', 'check', 'drop', '--re'],
      ['--repair'],
    ],
  ])('completes %s', (_what, words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });
});

it('tells zsh the same tables, without a name that zsh keeps for itself', () => {
  const script = completionScript('zsh', program);
  expect(script).toMatch(/^#compdef turnwise\n/);
  expect(script).toContain("'turnwise run --method') echo 'hybrid trivial' ;;");
  expect(script).not.toMatch(/\blocal (path|status|argv)\b/);
});

it('tells fish each command and option with its description', () => {
  const lines = completionScript('fish', program).split('\n');
  expect(lines).toContain(
    `complete -c turnwise -n 'not __fish_seen_subcommand_from run status store completion' -a 'run' -d 'asks a dataset\\'s questions'`,
  );
  expect(lines).toContain(
    `complete -c turnwise -n '__fish_seen_subcommand_from run' -l method -r -f -a 'hybrid trivial' -d 'how'`,
  );
  expect(lines).toContain(
    `complete -c turnwise -n '__fish_seen_subcommand_from store; and __fish_seen_subcommand_from check' -l repair -d 'mend it'`,
  );
});
