import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerExport } from '../../../client/commands/export.js';
import { registerRuns } from '../../../client/commands/runs.js';
import { registerStatus } from '../../../client/commands/status.js';
import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { registerTrajectory } from '../../../client/commands/trajectory.js';
import type { Note } from '../../../domain/runs/run-manifest.js';
import { captureOutput } from '../../support/commands/capture-output.js';
import { expectRefusal } from '../../support/commands/refused-command.js';
import { recordedRun } from '../../support/runs/recorded-run.js';

const output = captureOutput();
let file = '';
beforeEach(async () => {
  const { home, folder } = await recordedRun((manifest) => ({ ...manifest, status: 'done' }));
  file = join(folder, 'notes.jsonl');
  vi.stubEnv('TURNWISE_HOME', home);
  vi.stubEnv('USER', 'ann');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** What a command prints. */
async function printed(...words: readonly string[]): Promise<string> {
  const before = output.stdout.length;
  const program = new CommandLine('turnwise').exitOverride();
  for (const register of [registerRuns, registerStatus, registerTrajectory, registerExport])
    register(program);
  await program.parseAsync(words, { from: 'user' });
  return output.stdout.slice(before);
}
const noted = async (...words: readonly string[]): Promise<Note> =>
  JSON.parse(await printed('runs', 'note', 'a-run', ...words, '--json')) as Note;

describe('runs note', () => {
  it('notes something on a run that has ended, which `runs` and `status` show', async () => {
    expect(await printed('runs')).not.toContain('tags');
    expect(
      await printed(
        'runs',
        'note',
        'a-run',
        '--tag',
        'good example',
        '--tag',
        'keep',
        '--text',
        'read it',
      ),
    ).toMatch(/^run a-run has note [0-9a-f]{8} by ann, .{16} UTC: good example, keep: read it\n$/);
    expect(await printed('runs')).toMatch(/tags\n.*good example, keep\n/s);
    expect(JSON.parse(await printed('runs', '--json'))).toMatchObject([
      { tags: ['good example', 'keep'] },
    ]);
    expect(await printed('status', 'a-run')).toMatch(
      /^note .* by ann, .* UTC: good example, keep: read it$/m,
    );
    expect(JSON.parse(await printed('status', 'a-run', '--json'))).toMatchObject({
      notes: [{ about: null, text: 'read it' }],
    });
  });

  it('notes something on a question, by how its uuid begins, which its trajectory shows', async () => {
    const note = await noted('rig', '--tag', 'label-error', '--by', 'bob');
    expect(note).toMatchObject({
      ...{ by: 'bob', about: { uuid: 'right', epoch: 1 }, tags: ['label-error'], text: '' },
    });
    await noted('failed', '--epoch', '2', '--text', 'why?');
    expect(await printed('trajectory', 'a-run', 'right')).toMatch(
      new RegExp(`\nnote ${note.id} on question right by bob, .* UTC: label-error\n$`),
    );
    expect(await printed('status', 'a-run')).toContain(
      '2 notes on its questions: `turnwise runs note a-run`',
    );
    expect(await printed('runs', 'note', 'a-run')).toMatch(
      /^note .*right.*\nnote .*failed \(epoch 2\).*\n$/,
    );
    expect(await printed('runs', 'note', 'a-run', 'failed')).toBe(
      'no notes on question failed of run a-run yet: --text and --tag write one\n',
    );
  });

  it('takes a note away, and keeps in the file who has', async () => {
    const [one, other] = [await noted('--text', 'one'), await noted('--text', 'other')];
    expect(await printed('runs', 'note', 'a-run', '--remove', one.id, '--by', 'bob')).toMatch(
      /^run a-run no longer has note .*: one\n$/,
    );
    expect(await noted()).toEqual([other]);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ kind: 'removal', by: 'bob', note: one.id });
  });

  it('cannot steer the terminal of who reads it', async () => {
    expect(await printed('runs', 'note', 'a-run', '--text', 'a\u001b[2Jb\u202ec')).toContain(
      'a[U+001B][2Jb[U+202E]c',
    );
  });

  it('is exported with the run, and in its tables', async () => {
    const out = mkdtempSync(join(tmpdir(), 'turnwise-export-'));
    await noted('--text', 'one');
    await noted('right', '--tag', 'label-error');
    expect(await printed('export', 'a-run', '--out', out, '--format', 'json')).toContain(
      'notes.jsonl',
    );
    const rows = readFileSync(join(out, 'answers.jsonl'), 'utf8').trim().split('\n');
    expect(rows.filter((row) => row.includes('label-error'))).toHaveLength(1);
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('question-table');
    expect(readFileSync(join(out, 'notes.jsonl'), 'utf8')).toBe(readFileSync(file, 'utf8'));
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown run', ['other', '--text', 'x'], /there is no run other/],
    ['an unknown question', ['a-run', 'none', '--text', 'x'], /run a-run has no question none/],
    ['a question that several are', ['a-run', '', '--text', 'x'], /run a-run has no question/],
    [
      'an epoch that it does not have',
      ['a-run', 'right', '--epoch', '3', '--tag', 'x'],
      /run a-run has no question right in epoch 3/,
    ],
    [
      'an epoch of no question',
      ['a-run', '--epoch', '2', '--tag', 'x'],
      /--epoch is of a question: name it/,
    ],
    ['an empty note', ['a-run', '--text', ' '], /this is no note: needs a text or a tag/],
    [
      'a tag with a comma',
      ['a-run', '--tag', 'a,b'],
      /must be 1 to 50 characters on one line, without a comma/,
    ],
    ['no name', ['a-run', '--text', 'x', '--by', ''], /--by/],
    ['a long text', ['a-run', '--text', 'x'.repeat(2001)], /must have at most 2000 characters/],
    [
      'a note that is not there',
      ['a-run', '--remove', '00000000'],
      /run a-run has no note 00000000: `turnwise runs note a-run` lists those it has/,
    ],
    [
      'a removal with a text',
      ['a-run', '--remove', '00000000', '--text', 'x'],
      /--remove <id>' cannot be used with option '--text/,
    ],
  ])('refuses %s', async (_, words, sentence) => {
    await expectRefusal(registerRuns, ['runs', 'note', ...words], sentence);
  });

  it('refuses a user without a name, and names a damaged line', async () => {
    vi.stubEnv('USER', '');
    await expectRefusal(
      registerRuns,
      ['runs', 'note', 'a-run', '--text', 'x'],
      /this is no note: by/,
    );
    appendFileSync(file, '{"id":"1"}\n');
    await expectRefusal(
      registerRuns,
      ['runs', 'note', 'a-run'],
      /notes\.jsonl, line 1, is damaged .*: remove that line/,
    );
  });
});
