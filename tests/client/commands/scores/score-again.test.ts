import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { registerScore } from '../../../../client/commands/scores/score.js';
import { scorerFiles } from '../../../../client/runs/own-code.js';
import { RunFolder } from '../../../../client/runs/run-folder.js';
import { scoreRun, scoreVersions } from '../../../../client/runs/scoring/score-run.js';
import type { JudgePort } from '../../../../client/runs/scoring/score-answers.js';
import type { RunManifest } from '../../../../domain/runs/run-manifest.js';
import { endRecordSchema } from '../../../../domain/runs/question-end.js';
import { datasetItemSchema, type Evaluator } from '../../../../domain/scoring/dataset-item.js';
import {
  scorerName,
  statementsOf,
} from '../../../../domain/scoring/execution-match/execution-options.js';
import { scorePrediction } from '../../../../domain/scoring/predictions.js';
import { scoreSchema, type Score } from '../../../../domain/scoring/score.js';
import { evaluatorBy, ownNamed } from '../../../../domain/scoring/own-scorer.js';
import { captureOutput } from '../../../support/commands/capture-output.js';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';
import { filesIn } from '../../../support/files-in.js';
import { linesOf } from '../../../support/lines-of.js';
import { exampleEnd, sampleKey } from '../../../support/runs/example-records.js';
import { judgingBy, noOwnScoring } from '../../../support/runs/scorers.js';
import { runInFolder, type RunInFolder } from '../../../support/runs/run-in-folder.js';

const programs = vi.hoisted(() => new Map<string, string>());
vi.mock('../../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
  workerProgram: (name: string) => programs.get(name) ?? `there is no ${name}`,
  packageVersion: () => '0.0.0',
}));

const folder = mkdtempSync(join(tmpdir(), 'turnwise-again-'));
const output = captureOutput();

beforeAll(() => {
  const thread = compiledEntry('plugins/plugin-thread.ts');
  programs.set('plugin-thread', fileURLToPath(thread.entry));
  return thread.remove;
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function score(...args: readonly string[]): Promise<string> {
  const program = new CommandLine('turnwise');
  registerScore(program);
  output.stdout = '';
  await program.parseAsync(['score', 'a-run', ...args], { from: 'user' });
  return output.stdout;
}

/** A program that gives each answer its length in tenths, and writes down what it is asked. */
const asked = join(folder, 'asked.txt');
const program = (name: string, body: string): string => {
  const path = join(folder, name);
  writeFileSync(
    path,
    `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { uuid, answer } = JSON.parse(line);
  appendFileSync(${JSON.stringify(asked)}, uuid + '\\n');
  ${body}
}
`,
  );
  return `'${process.execPath}' '${path}'`;
};
const lengths = 'console.log(JSON.stringify({ score: Math.min(1, answer.length / 10) }));';
const timesAsked = (): number =>
  existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n').length : 0;

const plugin = join(folder, 'mine.ts');
writeFileSync(
  plugin,
  `import { defineScorer } from 'turnwise';
export const mine = defineScorer({ name: 'mine', score: ({ answer }) => answer.length / 100 });
`,
);

const evaluators: Readonly<Record<string, Evaluator | undefined>> = {
  number: { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 8 } },
  list: { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: ['BART'] } },
  judged: {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { question: 'q', reference_answer: 'so' },
  },
  rows: { eval_func: 'eval_execution_match', eval_kwargs: { gold_sql: 'SELECT 1' } },
  // It is written in `endedRun`.
  own: { eval_func: 'eval_program', eval_kwargs: { program: program('own.mjs', lengths) } },
  without: undefined,
};
const answers: Readonly<Record<string, string>> = {
  ...{ number: '8', list: '["BART"]', judged: 'because', rows: 'SELECT 2', own: 'five!' },
  without: 'anything',
};
const items = Object.entries(evaluators).map(([uuid, evaluator]) =>
  datasetItemSchema.parse({ uuid, question: `What of ${uuid}?`, tags: ['all'], evaluator }),
);

/** A run that its own judge has judged, as workers leave it. */
async function endedRun(): Promise<RunInFolder> {
  rmSync(asked, { force: true });
  const run = runInFolder(
    items,
    (manifest): RunManifest => ({
      ...manifest,
      status: 'done',
      config: { ...manifest.config, judging: judgingBy('first') },
      scorerFiles: scorerFiles(items),
    }),
    mkdtempSync(join(folder, 'home-')),
  );
  for (const item of items) {
    const statements = statementsOf(item.evaluator, answers[item.uuid] ?? '');
    if (statements === null) continue;
    await run.runFiles.saveExecution(run.manifest.run, sampleKey(item.uuid), {
      statements: statements.map((sql) => ({
        sql,
        executed: {
          kind: 'rows',
          result: {
            columns: [{ name: 'n', type: 'INTEGER' }],
            rows: [[Number(sql.at(-1))]],
            more: false,
          },
        },
      })),
    });
  }
  const scores: Readonly<Record<string, number | null>> = {
    ...{ number: 1, list: 1, judged: 1, rows: 0, own: 0.5, without: null },
  };
  await run.runFiles.publish(
    run.manifest.run,
    items.map(({ uuid, evaluator }) => endOf(uuid, scores[uuid] ?? null, evaluator)),
  );
  vi.stubEnv('TURNWISE_HOME', run.home);
  vi.spyOn(process, 'cwd').mockReturnValue(run.home);
  return run;
}

function endOf(uuid: string, value: number | null, evaluator: Evaluator | undefined, asking = 1) {
  const { result, score: base } = exampleEnd(sampleKey(uuid));
  const again = asking === 1 ? {} : { asking };
  const verdict =
    value === null
      ? { kind: 'unscored', reason: 'no-evaluator' }
      : { kind: 'scored', score: value, rationale: 'as the run found it' };
  return endRecordSchema.parse({
    result: { ...result, ...again, answer: answers[uuid], outcome: { kind: 'answered' } },
    score: { ...base, ...again, score: value, verdict, scorer: scorerName(evaluator) },
  });
}

/** Finds every answer right, and counts what it is asked. */
function judgeNamed(name: string): JudgePort & { readonly asked: () => number } {
  let count = 0;
  return {
    config: judgingBy(name),
    asked: () => count,
    judge: (open, mode) => {
      count += open.length;
      return Promise.resolve(
        open.map(({ prediction, item }): Score => ({
          ...scorePrediction(prediction, item, mode),
          score: 1,
          verdict: { kind: 'scored', score: 1 },
        })),
      );
    },
  };
}

const currentScores = (run: RunInFolder): ReadonlyMap<string, number | null> =>
  new Map(
    linesOf(run.folder, 'scores.jsonl').map((line) => {
      const { uuid, score: value } = scoreSchema.parse(line);
      return [uuid, value];
    }),
  );

/** That every line of every version is of that version, and by its scorer. */
async function requireWholeVersions(run: RunInFolder): Promise<number> {
  const versions = await scoreVersions(new RunFolder(run.home, run.manifest.run), run.manifest);
  for (const version of versions) {
    const isLast = version === versions.at(-1);
    const name = `scores/${String(version.version).padStart(4, '0')}.jsonl`;
    const lines = linesOf(run.folder, isLast ? 'scores.jsonl' : name);
    expect(lines).toHaveLength(items.length);
    for (const each of lines.map((line) => scoreSchema.parse(line))) {
      const item = items.find(({ uuid }) => uuid === each.uuid);
      expect(each.version ?? 1).toBe(version.version);
      const own = version.own === undefined ? null : ownNamed(version.own);
      const evaluator = own ? evaluatorBy(own, item?.evaluator) : item?.evaluator;
      expect(each.scorer).toBe(scorerName(evaluator));
    }
  }
  return versions.length;
}

const byProgram = ['--scorer-program', program('lengths.mjs', lengths)];
const byPlugin = ['--plugin', plugin, '--scorer', 'mine'];

it.each([
  ['the evaluators of the dataset', ['--scorer', 'default'], 1],
  ['the evaluators of the dataset, strictly', ['--scorer', 'strict'], 2],
  ['a program', byProgram, 2],
  ['a plugin', byPlugin, 2],
])('changes nothing when it is done twice, by %s', async (_, flags, versions) => {
  const run = await endedRun();
  await score(...flags);
  const once = filesIn(run.home);
  const times = timesAsked();
  expect(await score(...flags)).toContain('the scores are the same, and stay');
  // Without flags, by the same again.
  if (!flags.includes('--plugin')) await score();
  expect(filesIn(run.home)).toEqual(once);
  expect(timesAsked()).toBe(times);
  expect(await requireWholeVersions(run)).toBe(versions);
});

it('changes nothing when judges are asked twice, and asks them once', async () => {
  const run = await endedRun();
  const runFolder = new RunFolder(run.home, run.manifest.run);
  const second = judgeNamed('second');
  await scoreRun(runFolder, { judge: second, own: noOwnScoring });
  const once = filesIn(run.home);
  expect(second.asked()).toBe(1);
  await scoreRun(runFolder, { judge: second, own: noOwnScoring });
  await scoreRun(runFolder, { judge: null, own: noOwnScoring });
  expect(filesIn(run.home)).toEqual(once);
  expect(await requireWholeVersions(run)).toBe(2);
});

it('writes nothing where it only shows', async () => {
  const run = await endedRun();
  await score(...byProgram);
  const before = filesIn(run.home);
  const shown = await score('--by', 'tags', '--by', 'uuid');
  expect(shown).toMatch(/^run a-run: version 2 \(program .*lengths\.mjs'\)\n/);
  expect(shown).toMatch(/^number +0\.100 /m);
  expect(await score('--diff')).toContain('from version 1 (default scorer, judged by first) to');
  expect(await score('--diff', '1', '--by', 'tags', '--json')).toContain('"isNew": false');
  await score('--rules', 'all');
  await score('--rules', 'bird', '--json', '--out', join(folder, 'rules.jsonl'));
  expect(filesIn(run.home)).toEqual(before);
  expect(linesOf(folder, 'rules.jsonl')).toMatchObject([
    { uuid: 'rows', score: 0, scorer: 'eval_execution_match(bird)' },
  ]);
});

it('keeps what a judge found only under the scorer and the judges that found it', async () => {
  const run = await endedRun();
  await score('--scorer', 'strict');
  expect(currentScores(run)).toEqual(
    new Map([
      ['number', 1],
      ['list', 0],
      ['judged', null],
      ['rows', 0],
      ['own', 0.5],
      ['without', null],
    ]),
  );
  await score(...byProgram);
  await score('--scorer', 'default');
  expect(currentScores(run).get('judged')).toBe(1);
  expect(output.stdout).toContain('version 4 (default scorer, judged by first)');
  // The program that the dataset names was asked by the run; the other one about all six answers.
  expect(timesAsked()).toBe(6);
  expect(await requireWholeVersions(run)).toBe(4);
});

it('asks a program again that has changed, and only about what was asked again', async () => {
  const run = await endedRun();
  const command = program('changing.mjs', lengths);
  await score('--scorer-program', command);
  await run.runFiles.reopen(run.manifest.run, [sampleKey('number')], false);
  await run.runFiles.publish(run.manifest.run, [endOf('number', 1, evaluators['number'], 2)]);
  writeFileSync(join(run.folder, 'manifest.json'), JSON.stringify(run.manifest));
  expect(await score('--by', 'tags')).toContain('and what was asked again since as the run began');
  expect(timesAsked()).toBe(6);
  await score();
  expect(timesAsked()).toBe(7);
  program('changing.mjs', 'console.log(1);');
  expect(await score()).toContain('scored again, version 4');
  expect(timesAsked()).toBe(13);
  expect([...currentScores(run).values()]).toEqual([1, 1, 1, 1, 1, 1]);
});

it('keeps the scores where a scorer fails for every answer, with the last words of a program', async () => {
  const run = await endedRun();
  const before = filesIn(run.home);
  const failing = program(
    'failing.mjs',
    "console.error('loading\\nno such model'); process.exit(3);",
  );
  await expect(score('--scorer-program', failing)).rejects.toMatchObject({
    status: 1,
    message: [
      'no score is written, because the scorer failed for 6 of 6 answers: the scorer program ended with status 3: no such model',
      'its last words:',
      'loading',
      'no such model',
    ].join('\n'),
  });
  expect(filesIn(run.home)).toEqual(before);
  writeFileSync(
    plugin.replace('mine', 'throwing'),
    readFileSync(plugin, 'utf8')
      .replace('answer.length / 100', '{ throw new Error(answer) }')
      .replace("'mine'", "'throwing'"),
  );
  await expect(
    score('--plugin', plugin.replace('mine', 'throwing'), '--scorer', 'throwing'),
  ).rejects.toMatchObject({ status: 1 });
  expect(linesOf(run.folder, 'scores/versions.json')).toEqual([]);
});

it('says once for how many answers a scorer fails', async () => {
  const run = await endedRun();
  const body = "if (uuid === 'list') { console.log('?'); continue; } console.log(0.5);";
  expect(await score('--scorer-program', program('partly.mjs', body))).toContain('version 2');
  expect(output.stderr).toBe(
    'the scorer failed for 1 of 6 answers: the scorer program is to print one line of JSON for each answer, and printed ?\n',
  );
  expect(currentScores(run).get('list')).toBeNull();
});
