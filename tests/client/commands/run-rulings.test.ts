import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerExport } from '../../../client/commands/export.js';
import { registerReport } from '../../../client/commands/report.js';
import { registerRuns } from '../../../client/commands/runs.js';
import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { registerCompare } from '../../../client/commands/scores/compare.js';
import { registerScore } from '../../../client/commands/scores/score.js';
import { registerStatus } from '../../../client/commands/status.js';
import { RunFolder } from '../../../client/runs/run-folder.js';
import { ledgerOf, readRun } from '../../../client/runs/scoring/run-scores.js';
import { manifestFile, resultsFile, scoresFile } from '../../../domain/runs/run-manifest.js';
import type { Ruling } from '../../../domain/scoring/ruling.js';
import { unscored, type Verdict } from '../../../domain/scoring/verdict.js';
import { captureOutput } from '../../support/commands/capture-output.js';
import { expectRefusal } from '../../support/commands/refused-command.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import { runInFolder, type RunInFolder } from '../../support/runs/run-in-folder.js';

const output = captureOutput();
const evaluator = { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: '20' } };
/** What each question of the run came to. */
const verdicts: Readonly<Record<string, Verdict>> = {
  right: { kind: 'scored', score: 1 },
  wrong: { kind: 'scored', score: 0 },
  failed: unscored('outside-failure'),
  judged: unscored('judge-unavailable'),
  plain: unscored('no-evaluator'),
};
const uuids = Object.keys(verdicts);
const failure = { kind: 'infra-error', failure: 'ModelUnavailable', message: 'no route' } as const;

const publish = async ({ manifest, runFiles }: RunInFolder, asking = 1): Promise<void> => {
  const ends = Object.entries(verdicts).map(([uuid, verdict]) => {
    const key = sampleKey(uuid);
    const { result, score } = exampleEnd(key, uuid === 'failed' ? failure : undefined);
    const number = verdict.kind === 'scored' ? verdict.score : null;
    const scorer = uuid === 'plain' ? null : evaluator.eval_func;
    return {
      result: { ...result, asking },
      score: { ...score, asking, score: number, verdict, scorer },
    };
  });
  for (const end of ends) await runFiles.saveEnd(manifest.run, end.result, end, []);
  await runFiles.publish(manifest.run, ends);
};

let run: RunInFolder;
let folder: RunFolder;
const inRun = (file: string): string => readFileSync(join(run.folder, file), 'utf8');
beforeEach(async () => {
  const items = uuids.map((uuid) => ({
    ...{ uuid, question: `What is ${uuid}?` },
    ...(uuid !== 'plain' && { evaluator }),
  }));
  run = runInFolder(items, (manifest) => ({
    ...manifest,
    status: 'done',
    dataset: { ...manifest.dataset, items: items.length },
  }));
  await publish(run);
  folder = new RunFolder(run.home, run.manifest.run);
  vi.stubEnv('TURNWISE_HOME', run.home);
  vi.stubEnv('USER', 'ann');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** What a command prints. */
async function printed(...words: readonly string[]): Promise<string> {
  const before = output.stdout.length;
  const program = new CommandLine('turnwise').exitOverride();
  const commands = [registerRuns, registerStatus, registerExport, registerReport];
  for (const register of [...commands, registerCompare, registerScore]) register(program);
  await program.parseAsync(words, { from: 'user' });
  return output.stdout.slice(before);
}
const ruledOn = async (...words: readonly string[]): Promise<readonly Ruling[]> =>
  JSON.parse(
    await printed('runs', 'rule', 'a-run', ...words, '--reason', 'it was so', '--json'),
  ) as readonly Ruling[];

describe('runs rule', () => {
  it('lists what is open, and what was ruled', async () => {
    expect(await printed('runs', 'rule', 'a-run')).toBe(
      [
        'open for a ruling: question failed: it ended as infra-error',
        'open for a ruling: question judged: it has no score: judge-unavailable',
        '',
      ].join('\n'),
    );
    expect(await printed('status', 'a-run')).toContain(
      '2 questions open for a ruling: `turnwise runs rule a-run`',
    );
    expect(
      await printed('runs', 'rule', 'a-run', 'fail', '--exclude', '--reason', 'no route'),
    ).toMatch(
      /^run a-run has ruling [0-9a-f]{8} on question failed by ann, .{16} UTC: excluded: no route\n$/,
    );
    expect(await printed('runs', 'rule', 'a-run')).toMatch(
      /^open for a ruling: question judged: .*\nruling [0-9a-f]{8} on question failed by ann, .*\n$/,
    );
    expect(JSON.parse(await printed('runs', 'rule', 'a-run', '--json'))).toMatchObject({
      ...{ open: [{ uuid: 'judged', epoch: 1 }], signOff: null },
      rulings: [{ about: { uuid: 'failed', epoch: 1 }, asking: 1, decision: 'exclude' }],
    });
  });

  it('is said beside the number without it, wherever the score is shown', async () => {
    const words = '0.333 with 3 rulings (1 excluded, 2 counted as wrong); 0.500 without';
    const before = await printed('score', 'a-run', '--by', 'tags');
    expect(before).toContain('mean score 0.500 over 2 scored');
    await ruledOn('failed', '--exclude');
    await ruledOn('judged', 'wrong', '--wrong', '--by', 'bob');
    for (const shown of [
      await printed('score', 'a-run', '--by', 'tags'),
      await printed('status', 'a-run'),
      ...(await Promise.all(
        ['text', 'markdown', 'json'].map((format) =>
          printed('report', 'a-run', '--format', format),
        ),
      )),
    ]) {
      expect(shown.replaceAll(/\\(.)/g, '$1')).toContain(words);
    }
    expect(await printed('runs')).toContain('0.333 (without rulings 0.500)');
    expect(JSON.parse(await printed('status', 'a-run', '--json'))).toMatchObject({
      ledger: {
        headlines: [
          {
            ...{ score: { mean: 1 / 3 }, scored: 3 },
            rulings: { counts: { exclude: 1, wrong: 2 }, without: { score: { mean: 0.5 } } },
          },
        ],
      },
    });
  });

  it('changes no stored number, and leaves no trace in the scores when it is withdrawn', async () => {
    const files = [manifestFile, resultsFile, scoresFile];
    const stored = files.map(inRun);
    const ledger = ledgerOf(await readRun(folder));
    await ruledOn('failed', '--exclude');
    await ruledOn('right', '--wrong');
    await ruledOn('judged', 'plain', '--accept');
    expect(ledgerOf(await readRun(folder)).headlines[0].rulings?.without).toEqual(
      ledger.headlines[0],
    );
    await ruledOn('failed', 'right', 'judged', 'plain', '--withdraw', '--by', 'bob');
    expect(files.map(inRun)).toEqual(stored);
    expect(ledgerOf(await readRun(folder))).toEqual(ledger);
    const lines = inRun('rulings.jsonl').trim().split('\n');
    expect(lines).toHaveLength(8);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ decision: 'withdraw', by: 'bob' });
  });

  it('holds for the result that it is about, and for none that comes after it', async () => {
    await ruledOn('right', '--exclude');
    expect(ledgerOf(await readRun(folder)).verdicts).toMatchObject({ excluded: 1 });
    const keys = uuids.map((uuid) => sampleKey(uuid));
    await run.runFiles.reopen(run.manifest.run, keys, true);
    await publish(run, 2);
    expect(ledgerOf(await readRun(folder)).verdicts).not.toHaveProperty('excluded');
    expect(await printed('runs', 'rule', 'a-run')).not.toContain('question right');
    expect(inRun('rulings.jsonl')).toContain('"exclude"');
  });

  it('is exported with the run, and in its tables', async () => {
    const out = mkdtempSync(join(tmpdir(), 'turnwise-export-'));
    await ruledOn('failed', '--exclude');
    expect(
      await printed('export', 'a-run', '--out', out, '--format', 'json', '--format', 'csv'),
    ).toContain('rulings.jsonl');
    const rows = readFileSync(join(out, 'answers.jsonl'), 'utf8').trim().split('\n');
    const cells = rows.map((row) => JSON.parse(row) as Readonly<Record<string, unknown>>);
    expect(cells.map(({ uuid, ruling }) => [uuid, ruling])).toContainEqual(['failed', 'exclude']);
    expect(cells.filter(({ ruling }) => ruling !== null)).toHaveLength(1);
    expect(readFileSync(join(out, 'rulings.jsonl'), 'utf8')).toBe(inRun('rulings.jsonl'));
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown run', ['other'], /there is no run other/],
    ['an unknown question', ['a-run', 'none', '--wrong', '--reason', 'x'], /has no question none/],
    [
      'an epoch that it does not have',
      ['a-run', 'right', '--epoch', '2', '--wrong', '--reason', 'x'],
      /run a-run has no question right in epoch 2/,
    ],
    ['no reason', ['a-run', 'right', '--wrong'], /this is no ruling: reason: is needed/],
    ['no question', ['a-run', '--wrong', '--reason', 'x'], /name the questions/],
    ['no decision', ['a-run', 'right', '--reason', 'x'], /say what is decided: --exclude/],
    ['two decisions', ['a-run', 'right', '--wrong', '--accept'], /cannot be used with option/],
    [
      'to count as wrong what has no evaluator',
      ['a-run', 'plain', '--wrong', '--reason', 'x'],
      /question plain of run a-run names no evaluator/,
    ],
  ])('refuses %s', async (_, words, sentence) => {
    await expectRefusal(registerRuns, ['runs', 'rule', ...words], sentence);
  });

  it('names a damaged line', async () => {
    appendFileSync(join(run.folder, 'rulings.jsonl'), '{"id":"1"}\n');
    await expectRefusal(
      registerRuns,
      ['runs', 'rule', 'a-run'],
      /rulings\.jsonl, line 1, is damaged .*: remove that line/,
    );
  });
});

describe('runs sign', () => {
  it('signs a run off of which nothing is open, until something changes', async () => {
    await expectRefusal(
      registerRuns,
      ['runs', 'sign', 'a-run'],
      /cannot be signed off: 2 questions open for a ruling \(question failed: it ended as infra-error; question judged/,
    );
    await ruledOn('failed', 'judged', '--accept');
    expect(await printed('runs', 'sign', 'a-run', '--by', 'bob')).toMatch(
      /^run a-run is signed off by bob, .{16} UTC\n$/,
    );
    expect(await printed('status', 'a-run')).toMatch(/^signed off by bob, /m);
    expect(await printed('report', 'a-run', '--format', 'markdown')).toMatch(
      /\| signed off \| by bob, .{16} UTC \|/,
    );
    await ruledOn('right', '--wrong');
    expect(await printed('status', 'a-run')).not.toContain('signed off');
    expect(await printed('runs', 'rule', 'a-run')).not.toContain('signed off');
  });

  it('refuses a run of which a question has not ended', async () => {
    await run.runFiles.reopen(run.manifest.run, [sampleKey('failed')], false);
    await expectRefusal(
      registerRuns,
      ['runs', 'sign', 'a-run'],
      /run a-run cannot be signed off: 1 question not ended/,
    );
  });
});
