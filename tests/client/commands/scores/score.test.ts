import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { RunFolder } from '../../../../client/runs/run-folder.js';
import type { JudgePort } from '../../../../client/runs/scoring/score-answers.js';
import { scoreRun } from '../../../../client/runs/scoring/score-run.js';
import { registerScore } from '../../../../client/commands/scores/score.js';
import { endRecordSchema } from '../../../../domain/runs/question-end.js';
import { evaluatorSchema } from '../../../../domain/scoring/dataset-item.js';
import { scoreSchema } from '../../../../domain/scoring/score.js';
import { captureOutput } from '../../../support/commands/capture-output.js';
import { goldAnswer } from '../../../support/runs/gold-answer.js';
import { exampleEnd, sampleKey } from '../../../support/runs/example-records.js';
import { linesOf } from '../../../support/lines-of.js';
import { judgingBy, noOwnScoring } from '../../../support/runs/scorers.js';
import { runInFolder } from '../../../support/runs/run-in-folder.js';

vi.mock('../../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
  packageVersion: () => '0.0.0',
  packageRoot: '.',
}));

const folder = mkdtempSync(join(tmpdir(), 'turnwise-score-'));
const output = captureOutput();

afterEach(() => {
  vi.unstubAllEnvs();
});

async function score(...args: readonly string[]): Promise<string> {
  const program = new CommandLine('turnwise');
  registerScore(program);
  program.commands[0]?.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(['score', ...args], { from: 'user' });
  return output.stdout;
}

function file(name: string, values: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  return path;
}

describe('predictions made elsewhere', () => {
  const int = (gold: number) => ({ eval_func: 'eval_int_exact_match', eval_kwargs: { gold } });
  const gold = (): string =>
    file('gold.jsonl', [
      { uuid: 'a', tags: ['text'], evaluator: int(1) },
      { uuid: 'b', tags: ['table'], evaluator: int(2) },
      { uuid: 'c', tags: ['table'], evaluator: int(3) },
    ]);

  it('are paired by uuid, whatever their order, and scored', async () => {
    const predictions = file('predictions.jsonl', [
      { uuid: 'b', answer: '3' },
      { uuid: 'a', answer: '1' },
    ]);
    const out = join(folder, 'scores.jsonl');
    const shown = await score('--predictions', predictions, '--gold', gold(), '--out', out);
    expect(shown).toContain('2 predictions for 3 golds, default scorer');
    expect(shown).toContain('mean score 0.500 over 2 scored');
    expect(shown).toContain('1 of 3 have no score and enter no mean (1 not-ended)');
    expect(shown).toMatch(/table +0\.000 .* 1 +2 +0\.000 +0\.500\n/);
    const scores = linesOf(folder, 'scores.jsonl').map((line) => scoreSchema.parse(line));
    expect(scores.map(({ uuid, score }) => [uuid, score])).toEqual([
      ['b', 0],
      ['a', 1],
    ]);
  });

  it('are refused with every flawed line, and nothing is written', async () => {
    const predictions = file('flawed.jsonl', [
      { uuid: 'a', answer: '1' },
      { uuid: 'a', answer: '1' },
      { uuid: 'z', answer: '1' },
    ]);
    const out = join(folder, 'nothing.jsonl');
    await expect(
      score('--predictions', predictions, '--gold', gold(), '--out', out),
    ).rejects.toMatchObject({
      status: 2,
      message: [
        `${predictions}: line 2: uuid a stands on line 1 already`,
        `${predictions}: line 3: there is no gold for uuid z`,
      ].join('\n'),
    });
    expect(existsSync(out)).toBe(false);
  });

  it('need a judge where empty ones are to be judged', async () => {
    const predictions = file('empty.jsonl', [{ uuid: 'a', answer: '' }]);
    await expect(
      score('--predictions', predictions, '--gold', gold(), '--judge-empty'),
    ).rejects.toThrow('--judge-empty needs a judge');
  });

  it('need golds, and a run needs neither', async () => {
    await expect(score('--gold', gold())).rejects.toThrow('give a run to score again');
    await expect(score('a-run', '--gold', gold())).rejects.toThrow('give a run to score again');
    await expect(score('--predictions', 'nowhere', '--gold', gold())).rejects.toThrow(
      /^nowhere cannot be read/,
    );
  });

  const airqa = '../shared/data/airqa/test_data_553.jsonl';
  it.skipIf(!existsSync(airqa))(
    'get full marks from every evaluator of AirQA that needs no judge where they are its golds (skipped without that file)',
    async () => {
      const itemSchema = z.object({ uuid: z.string(), evaluator: evaluatorSchema });
      const golds = readFileSync(airqa, 'utf8')
        .trim()
        .split('\n')
        .map((line) => itemSchema.parse(JSON.parse(line)));
      const predictions = file(
        'airqa.jsonl',
        golds.map(({ uuid, evaluator }) => ({ uuid, answer: goldAnswer(evaluator) })),
      );
      const out = join(folder, 'airqa-scores.jsonl');
      await score('--predictions', predictions, '--gold', airqa, '--out', out);
      const scores = linesOf(folder, 'airqa-scores.jsonl').map((line) => scoreSchema.parse(line));
      expect(scores).toHaveLength(553);
      const without = scores.filter(({ score }) => score !== 1);
      expect(new Set(without.map(({ verdict }) => JSON.stringify(verdict)))).toEqual(
        new Set([
          '{"kind":"unscored","reason":"needs-judge"}',
          '{"kind":"unscored","reason":"invalid-evaluator","message":"formulas is missing"}',
        ]),
      );
      expect(without).toHaveLength(108);
      expect(output.stderr).toContain('lacks formulas');
    },
  );

  it.skipIf(!existsSync('../shared/data/scidqa/sample_40.jsonl')).each(['m3sciqa', 'scidqa'])(
    'of %s find their evaluators (skipped without that file)',
    async (name) => {
      const path = `../shared/data/${name}/sample_40.jsonl`;
      const uuids = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { uuid: string }).uuid);
      const predictions = file(
        `${name}.jsonl`,
        uuids.map((uuid) => ({ uuid, answer: 'x' })),
      );
      expect(await score('--predictions', predictions, '--gold', path)).toContain('40 needs-judge');
    },
  );
});

describe('a run', () => {
  const list = { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: ['BART'] } };
  const judged = {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { reference_answer: 'a', question: 'q' },
  };

  /** Three answers: one that only the default scorer takes for right, one that a judge found right, one wrong. */
  async function endedRun(status: 'done' | 'running' = 'done') {
    const run = runInFolder(
      [
        { uuid: 'a', question: 'Which?', evaluator: list },
        { uuid: 'b', question: 'Why?', evaluator: judged },
        { uuid: 'c', question: 'How?', evaluator: list },
      ],
      (manifest) => ({ ...manifest, status, dataset: { ...manifest.dataset, items: 3 } }),
    );
    const ends = [
      ['a', '["BART"]', 1, 'eval_string_exact_match'],
      ['b', 'because', 1, 'eval_reference_answer_with_llm'],
      ['c', 'T5', 0, 'eval_string_exact_match'],
    ] as const;
    await run.runFiles.publish(
      run.manifest.run,
      ends.map(([uuid, answer, score, scorer]) => {
        const end = exampleEnd(sampleKey(uuid));
        return endRecordSchema.parse({
          result: { ...end.result, answer },
          score: { ...end.score, score, scorer, verdict: { kind: 'scored', score } },
        });
      }),
    );
    vi.stubEnv('TURNWISE_HOME', run.home);
    vi.spyOn(process, 'cwd').mockReturnValue(run.home);
    return run;
  }

  const scoresIn = (path: string, name: string) =>
    linesOf(path, name).map((line) => scoreSchema.parse(line).score);

  it('is scored again by another scorer, and both are kept', async () => {
    const run = await endedRun();
    const shown = await score('a-run', '--scorer', 'strict', '--diff');
    expect(shown).toContain('run a-run: scored again, version 2 (strict scorer)');
    expect(shown).toContain(
      'from version 1 (default scorer) to version 2 (strict scorer): 2 of 3 scores differ; mean 0.667 → 0.000',
    );
    expect(shown).toMatch(/a +1\.00 +0\.00/);
    expect(scoresIn(run.folder, 'scores.jsonl')).toEqual([0, null, 0]);
    expect(scoresIn(run.folder, 'scores/0001.jsonl')).toEqual([1, 1, 0]);
  });

  it('keeps what a judge found, and has no new version where nothing is new', async () => {
    const run = await endedRun();
    expect(await score('a-run')).toContain('the scores are the same, and stay, version 1');
    expect(existsSync(join(run.folder, 'scores'))).toBe(false);
  });

  it('goes on with the scorer it had last, and can be set against any version', async () => {
    const run = await endedRun();
    await score('a-run', '--scorer', 'strict');
    await score('a-run', '--scorer', 'default');
    output.stdout = '';
    const document: unknown = JSON.parse(await score('a-run', '--diff', '1', '--json'));
    expect(document).toMatchObject({
      run: 'a-run',
      isNew: false,
      versions: [
        { version: 1 },
        { version: 2, scorer: 'strict' },
        { version: 3, scorer: 'default' },
      ],
      ledger: { headlines: [{ scored: 3 }] },
      difference: {
        from: { version: 1 },
        to: { version: 3 },
        differences: { same: 3, changed: [] },
      },
    });
    expect(scoresIn(run.folder, 'scores/0002.jsonl')).toEqual([0, null, 0]);
    await expect(score('a-run', '--diff', '7')).rejects.toThrow('no version 7 of its scores');
  });

  it('stays as it is where questions were asked again while a judge was at work', async () => {
    const run = await endedRun();
    const folder = new RunFolder(run.home, run.manifest.run);
    const left = scoresIn(run.folder, 'scores.jsonl').slice(1);
    const busy: JudgePort = {
      config: judgingBy('a-judge'),
      judge: async (answers) => {
        await run.runFiles.reopen(run.manifest.run, [sampleKey('a')], false);
        return answers.map(({ prediction }) => exampleEnd(prediction).score);
      },
    };
    await expect(scoreRun(folder, { judge: busy, own: noOwnScoring })).rejects.toThrow(
      'questions of run a-run were asked or scored again meanwhile',
    );
    expect(scoresIn(run.folder, 'scores.jsonl')).toEqual(left);
    expect(existsSync(join(run.folder, 'scores'))).toBe(false);
  });

  it('has to have ended', async () => {
    await endedRun('running');
    await expect(score('a-run')).rejects.toThrow('run a-run has not ended');
    await expect(score('nowhere')).rejects.toThrow('there is no run nowhere');
  });
});
