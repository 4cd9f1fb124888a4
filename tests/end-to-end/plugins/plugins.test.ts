import { execFileSync } from 'node:child_process';
import {
  symlinkSync,
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resultSchema } from '../../../domain/agent/question-result.js';
import { runManifestSchema } from '../../../domain/runs/run-manifest.js';
import { scoreSchema } from '../../../domain/scoring/score.js';
import {
  checkout,
  eventually,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';

const examples = join(checkout, 'examples/plugins');
const home = newHome();
/** A folder outside of the package. */
const folder = join(home, 'own');
let settings: Readonly<Record<string, string>>;
let model: Running;
let up: Running;

const started = (): Running => turnwise(['up'], settings);
beforeAll(async () => {
  mkdirSync(folder);
  for (const name of [
    'glossary.ts',
    'glossary-method.ts',
    'word-overlap.ts',
    'overlap.py',
    'questions.jsonl',
  ]) {
    copyFileSync(join(examples, name), join(folder, name));
  }
  model = turnwise(['simulate-model', '--script', join(examples, 'replies.json')], {
    TURNWISE_HOME: home,
  });
  const url = await model.says(/http:\/\/\S+\/v1/);
  settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: url };
  up = started();
  await untilReady(up);
});

afterAll(async () => {
  up.child.kill('SIGINT');
  model.child.kill('SIGINT');
  await Promise.all([up.finished, model.finished]);
});

const command = (...args: readonly string[]): Promise<Finished> =>
  turnwise(args, settings, folder).finished;

const plugins = ['--plugin', 'glossary-method.ts', '--plugin', 'word-overlap.ts'];
const run = (id: string, ...more: readonly string[]): Promise<Finished> =>
  command(
    'run',
    'questions.jsonl',
    '--run',
    id,
    '--method',
    'glossary_react',
    '--model',
    'simulated',
    '--yes',
    '--no-probe',
    ...more,
  );

const linesOf = (id: string, file: string): readonly unknown[] =>
  readFileSync(join(home, 'runs', id, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
const scoresOf = (id: string) =>
  linesOf(id, 'scores.jsonl')
    .map((line) => scoreSchema.parse(line))
    .toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1));

it('a method, an action and a scorer from outside of the package answer and score', async () => {
  expect(await run('own', ...plugins)).toMatchObject({ status: 0 });
  const results = linesOf('own', 'results.jsonl').map((line) => resultSchema.parse(line));
  expect(results.map(({ turns, outcome }) => [turns, outcome.kind])).toEqual([
    [2, 'answered'],
    [2, 'answered'],
  ]);
  expect(scoresOf('own')).toMatchObject([
    { uuid: 'epoch', score: 1, scorer: 'word_overlap', verdict: { rationale: '5 of 5 words' } },
    { uuid: 'turn', score: 0.8, verdict: { rationale: '4 of 5 words' } },
  ]);
  const manifest = runManifestSchema.parse(
    JSON.parse(readFileSync(join(home, 'runs/own/manifest.json'), 'utf8')),
  );
  expect(manifest.config.plugins.map(({ path }) => path)).toEqual([
    'glossary-method.ts',
    'word-overlap.ts',
  ]);
  for (const { sha256 } of manifest.config.plugins) {
    expect(existsSync(join(home, 'runs/own/plugins', `${sha256}.mjs`))).toBe(true);
  }
});

it('an evaluation file names plugins, and has their methods and scorers', async () => {
  const file = {
    name: 'eval',
    datasets: ['questions.jsonl'],
    plugins: ['glossary-method.ts', 'word-overlap.ts'],
    methods: ['glossary_react', 'trivial_question_only'],
    models: ['simulated'],
    scorer: 'word_overlap',
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'eval.yaml'), JSON.stringify(file));
  const evaluate = () => command('eval', 'eval.yaml', '--yes', '--no-probe');
  const first = await evaluate();
  expect(first, first.stderr).toMatchObject({ status: 0 });
  expect(scoresOf('eval-questions-glossary_react-simulated')).toMatchObject([
    { uuid: 'epoch', score: 1, scorer: 'word_overlap' },
    { uuid: 'turn', score: 0.8, scorer: 'word_overlap' },
  ]);
  expect(await evaluate()).toMatchObject({ status: 0 });
});

it('a changed plugin is noticed when the run is continued', async () => {
  appendFileSync(join(folder, 'word-overlap.ts'), '\nexport const changed = 1;\n');
  const { status, stderr } = await run('own', ...plugins);
  copyFileSync(join(examples, 'word-overlap.ts'), join(folder, 'word-overlap.ts'));
  expect(status).toBe(2);
  expect(stderr).toMatch(/code of plugin word-overlap\.ts: was [0-9a-f]{8}, is [0-9a-f]{8}/);
  const without = await run('own', '--plugin', 'glossary-method.ts');
  expect(without.stderr).toContain('function word_overlap is unknown');
});

it('a scorer that fails leaves answers unscored, and a program in Python scores them', async () => {
  writeFileSync(
    join(folder, 'strict.ts'),
    `import { defineScorer } from 'turnwise';
export const strict = defineScorer({
  name: 'only_epochs',
  score: ({ uuid }) => {
    if (uuid !== 'epoch') throw new Error('no gold for ' + uuid);
    return 0.5;
  },
});
`,
  );
  expect(
    await run(
      'failing',
      '--plugin',
      'glossary-method.ts',
      '--plugin',
      'strict.ts',
      '--scorer',
      'only_epochs',
    ),
  ).toMatchObject({ status: 0 });
  expect(scoresOf('failing')).toMatchObject([
    { uuid: 'epoch', score: 0.5 },
    {
      uuid: 'turn',
      score: null,
      verdict: {
        kind: 'unscored',
        reason: 'scorer-failed',
        message: 'strict.ts:5: no gold for turn',
      },
    },
  ]);
  const python = ['--scorer-program', `python3 '${join(folder, 'overlap.py')}'`];
  expect(await run('python', '--plugin', 'glossary-method.ts', ...python)).toMatchObject({
    status: 0,
  });
  expect(scoresOf('python').map(({ score }) => score)).toEqual([1, 0.8]);
  // What was asked once is scored anew at the command line.
  expect(await command('score', 'failing', ...python)).toMatchObject({ status: 0 });
  expect(scoresOf('failing').map(({ score }) => score)).toEqual([1, 0.8]);
  const again = await command(
    'score',
    'failing',
    '--plugin',
    'word-overlap.ts',
    '--scorer',
    'word_overlap',
  );
  expect(again.stdout).toContain('scorer word_overlap');
});

it('a worker that is killed in an action of a plugin is replaced, and the action is taken again', async () => {
  const marks = join(folder, 'marks.txt');
  writeFileSync(
    join(folder, 'slow.ts'),
    `import { appendFileSync, existsSync } from 'node:fs';
import { defineAction, defineMethod } from 'turnwise';
const slow = defineAction({
  name: 'LookUp',
  description: 'Looks up.',
  parameters: { term: { type: 'string', description: 'A word.' } },
  run: async (_, { uuid, signal }) => {
    const isFirst = !existsSync(${JSON.stringify(marks)});
    appendFileSync(${JSON.stringify(marks)}, process.pid + ' ' + uuid + '\\n');
    if (isFirst) await new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
    return uuid === 'turn' ? 'one reply of the model' : 'one asking of every question';
  },
});
export const method = defineMethod({ name: 'slow_react', role: 'You wait.', actions: [slow], about: 'tables' });
`,
  );
  const running = command(
    ...[
      'run',
      'questions.jsonl',
      '--run',
      'killed',
      '--method',
      'slow_react',
      '--model',
      'simulated',
    ],
    ...[
      '--yes',
      '--no-probe',
      '--plugin',
      'slow.ts',
      '--plugin',
      'word-overlap.ts',
      '--concurrency',
      '1',
    ],
  );
  const pid = await eventually(() =>
    existsSync(marks) ? (/^\d+/.exec(readFileSync(marks, 'utf8'))?.[0] ?? null) : null,
  );
  process.kill(Number(pid), 'SIGKILL');
  expect(await running).toMatchObject({ status: 0 });
  const lines = readFileSync(marks, 'utf8').trim().split('\n');
  expect(lines.filter((line) => line.endsWith(' epoch'))).toHaveLength(2);
  expect(new Set(lines.map((line) => line.split(' ')[0])).size).toBe(2);
  expect(scoresOf('killed').map(({ score }) => score)).toEqual([1, 0.8]);
});

it('a script evaluates questions, follows the run and reads it, with the library alone', () => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(checkout, join(folder, 'node_modules/turnwise'));
  writeFileSync(
    join(folder, 'script.mjs'),
    `import { evaluate, openRun, TurnwiseError } from 'turnwise';
const options = {
  questions: [{ uuid: 'epoch', question: 'What is an epoch?', evaluator: { eval_func: 'word_overlap', eval_kwargs: { gold: 'one asking' } } }],
  run: 'script', method: 'glossary_react', model: 'simulated',
  plugin: ['glossary-method.ts', 'word-overlap.ts'],
  settings: ${JSON.stringify(settings)},
};
let seen;
const run = await evaluate({ ...options, onProgress: (progress) => { seen = progress; } });
const again = await openRun('script', options.settings);
const failures = [];
for (const wrong of [
  () => openRun('no-such-run', options.settings), () => openRun('/'), () => run.turns('nothing'),
  () => evaluate({ ...options, method: 'nothing' }), () => evaluate({ ...options, plugin: [] }),
  () => evaluate({ ...options, scorer: 'nothing' }), () => evaluate({ ...options, questions: 'absent.jsonl' }),
  () => evaluate({ ...options, questions: [] }), () => evaluate({ ...options, model: 'another' }),
]) await wrong().catch((error) => failures.push([error instanceof TurnwiseError, error.message.split('\\n').length]));
console.log(JSON.stringify({
  seen: seen.questions, summary: await run.follow(), answers: await again.answers(), turns: await again.turns('epoch'), failures,
}));
`,
  );
  const done = execFileSync(process.execPath, ['script.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(JSON.parse(done)).toMatchObject({
    seen: 1,
    summary: {
      questions: 1,
      ended: 1,
      meanScore: 1,
      scored: 1,
      unscored: 0,
      outcomes: { answered: 1 },
    },
    answers: [
      {
        uuid: 'epoch',
        epoch: 1,
        question: 'What is an epoch?',
        answer: 'one asking of every question of a dataset',
        outcome: 'answered',
        score: 1,
        reason: '2 of 2 words',
        scorer: 'word_overlap',
        turns: 2,
      },
    ],
    turns: [
      { turn: 1, action: 'LookUp', observation: 'one asking of every question of a dataset' },
      { turn: 2, action: 'GenerateAnswer', observation: null },
    ],
    failures: Array.from({ length: 9 }, () => [true, 1]),
  });
});
