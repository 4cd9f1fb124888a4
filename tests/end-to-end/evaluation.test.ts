import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killService } from '../../bench/chaos/command-line.js';
import { ingestExamplePapers } from '../../bench/example-store.js';
import { resultSchema, type Result } from '../../domain/agent/question-result.js';
import { sum } from '../../domain/budget/amount.js';
import { spentByRun } from '../../domain/evaluations/evaluation.js';
import { runManifestSchema, type RunManifest } from '../../domain/runs/run-manifest.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { accessibilityFindings, startBrowser } from '../support/browser/browser.js';
import { isWithin } from '../support/browser/view-in-browser.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  turnwise,
  type Finished,
} from '../support/command-line.js';

const home = newHome();
const concurrency = 2;
let model: SimulatedModel;
let settings: Record<string, string>;

beforeAll(async () => {
  model = await startSimulatedModel({
    latencyMs: 200,
    script: join(checkout, 'examples/replies.json'),
  });
  settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url };
  await ingestExamplePapers(home, () => undefined);
  const price = '{ input: 1, output: 2 }';
  writeFileSync(
    join(home, 'turnwise.yaml'),
    `prices:\n  a: ${price}\n  b: ${price}\n  c: ${price}\n`,
  );
});

afterAll(() => model.close());

interface FileParts {
  readonly name?: string;
  readonly methods?: readonly string[];
  readonly models?: readonly string[];
  readonly usd?: number;
  readonly limit?: number;
}

/** Writes the file of an evaluation, and returns its path. */
function fileOf({
  name = 'both',
  methods = ['trivial_question_only', 'hybrid_react'],
  models = ['a', 'b'],
  usd = 5,
  limit = 16,
}: FileParts): string {
  const path = join(home, `${name}.yaml`);
  writeFileSync(
    path,
    [
      `datasets: [{ path: ${join(checkout, 'examples/questions.jsonl')}, store: examples, limit: ${limit} }]`,
      `methods: [${methods.join(', ')}]`,
      `models: [${models.join(', ')}]`,
      `budget: { usd: ${usd} }`,
      `concurrency: ${concurrency}`,
    ].join('\n'),
  );
  return path;
}

const evaluate = (file: string, ...more: readonly string[]): Promise<Finished> =>
  turnwise(['eval', file, ...more], settings).finished;

const runFolder = (run: string): string => join(home, 'runs', run);

const manifestOf = (run: string): RunManifest =>
  runManifestSchema.parse(JSON.parse(readFileSync(join(runFolder(run), 'manifest.json'), 'utf8')));

const resultsOf = (run: string): readonly Result[] =>
  jsonLines(join(runFolder(run), 'results.jsonl')).map((line) => resultSchema.parse(line));

const runsOf = (evaluation: string): readonly string[] =>
  readdirSync(join(home, 'runs')).filter((run) => run.startsWith(`${evaluation}-`));

describe('an evaluation of two methods and two models', () => {
  const runs = [
    'trivial_question_only-a',
    'trivial_question_only-b',
    'hybrid_react-a',
    'hybrid_react-b',
  ].map((cell) => `both-questions-${cell}`);
  /** Model calls of results, without probes. */
  const paid = (): number =>
    runsOf('both')
      .flatMap(resultsOf)
      .reduce((calls, { usage }) => calls + usage.calls, 0);
  const received = (): number => model.stats().received - model.stats().probes;

  it('shows its runs and one forecast, and starts nothing', async () => {
    const { status, stdout } = await evaluate(fileOf({}), '--dry-run');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^evaluation both: 4 runs, 64 of 64 questions to answer\n/);
    for (const run of runs) expect(stdout).toContain(run);
    expect(stdout.match(/^model calls /gm)).toHaveLength(1);
    expect(stdout).toContain('the budget of all runs together: $0.00 of $5.00 spent');
    const json = await evaluate(fileOf({}), '--dry-run', '--json');
    const { cells, left, estimate } = JSON.parse(json.stdout) as {
      cells: { run: string; state: string; left: number }[];
      left: number;
      estimate: { likely: { calls: number } };
    };
    expect(cells.map(({ run, state }) => [run, state])).toEqual(runs.map((run) => [run, 'new']));
    expect(left).toBe(64);
    expect(estimate.likely.calls).toBeGreaterThan(64);
    expect(model.stats().received).toBe(0);
  });

  it('is killed with its worker, started again, and repeats nothing that is stored', async () => {
    const [first = '', second = ''] = runs;
    const killed = turnwise(['eval', fileOf({})], settings);
    // In the second run, of which some questions have ended.
    await eventually(() => (resultsOf(second).length >= 4 ? true : null));
    const whole = readFileSync(join(runFolder(first), 'results.jsonl'), 'utf8');
    killService(home, 'worker');
    killed.child.kill('SIGKILL');
    await killed.finished;
    await eventually(() => (model.stats().inFlight === 0 ? true : null));

    const { status, stdout, stderr } = await evaluate(fileOf({}));
    expect(status, stderr).toBe(0);
    expect(readFileSync(join(runFolder(first), 'results.jsonl'), 'utf8')).toBe(whole);
    expect(runs.map((run) => [resultsOf(run).length, manifestOf(run).status])).toEqual(
      runs.map(() => [16, 'done']),
    );
    // Only what was in flight at the kill is asked twice.
    expect(received() - paid()).toBeLessThanOrEqual(concurrency);
    expect(stderr.match(/^model calls /gm)).toHaveLength(1);
    expect(stdout).toMatch(/^evaluation both: 4 runs, \$0\.\d+ of \$5\.00 spent\n/);
    expect(
      stdout.match(/^questions {2}(trivial_question_only|hybrid_react) {2,}[ab] /gm),
    ).toHaveLength(4);
    expect(stdout).toContain('corrected for 6 comparisons');
    expect(stdout).toMatch(
      /hybrid_react with a +trivial_question_only with a +(better|not decisive).* +16 +\+\d/,
    );
    expect(readFileSync(join(home, 'evaluations/both.html'), 'utf8')).toContain(
      'turnwise evaluation: both',
    );
  });

  it('gives every run what the others have left, so that the sum is within the budget', () => {
    const spent = runs.map((run) => spentByRun(manifestOf(run)));
    expect(sum(spent).usd).toBeLessThanOrEqual(5);
    // Probes of later runs are made before the first one begins.
    for (const [index, run] of runs.entries()) {
      const others = sum(spent.filter((_, other) => other !== index)).usd;
      const cap = manifestOf(run).config.budget.usd ?? Infinity;
      expect(cap).toBeLessThanOrEqual(5 - sum(spent.slice(0, index)).usd + 1e-9);
      if (index === runs.length - 1) expect(cap).toBeCloseTo(5 - others, 9);
    }
  });

  it('prints its result again without asking anything', async () => {
    const before = model.stats().received;
    const { status, stdout, stderr } = await evaluate(fileOf({}), '--json');
    expect([status, stderr]).toEqual([0, '']);
    const { cells, differences } = JSON.parse(stdout) as {
      cells: { run: string; ended: number }[];
      differences: unknown[];
    };
    expect(cells.map(({ run, ended }) => [run, ended])).toEqual(runs.map((run) => [run, 16]));
    expect(differences).toHaveLength(6);
    expect(model.stats().received).toBe(before);
  });

  it('adds runs for a changed model, and keeps the others', async () => {
    const files = (): readonly string[] =>
      runs.map((run) => readFileSync(join(runFolder(run), 'manifest.json'), 'utf8'));
    const [before, calls] = [files(), received()];
    const { status, stdout, stderr } = await evaluate(
      fileOf({ methods: ['trivial_question_only'], models: ['a', 'c'] }),
    );
    expect(status, stderr).toBe(0);
    expect(received() - calls).toBe(16);
    expect(files()).toEqual(before);
    expect(stdout.match(/^questions {2}trivial_question_only {2}[ac] {6}/gm)).toHaveLength(2);
    const total = sum(runsOf('both').map((run) => spentByRun(manifestOf(run)))).usd;
    expect(stdout).toContain(`$${total.toFixed(2)} of $5.00 spent`);
    expect(manifestOf('both-questions-trivial_question_only-c').config.budget.usd).toBeCloseTo(
      5 - sum(runs.map((run) => spentByRun(manifestOf(run)))).usd,
      9,
    );
  });

  it('stops when its budget is spent, and goes on with a larger one', async () => {
    const parts = { name: 'small', methods: ['trivial_question_only'], limit: 4 };
    // A call may cost 0.003 dollars and more, and costs a tenth of it.
    const stopped = await evaluate(fileOf({ ...parts, usd: 0.0045 }), '--no-probe');
    expect(stopped.status).toBe(4);
    expect(stopped.stderr).toMatch(
      /turnwise: the budget of evaluation small leaves too little .*: a larger `budget` in .*small\.yaml and the same command continue it/,
    );
    expect(sum(runsOf('small').map((run) => spentByRun(manifestOf(run)))).usd).toBeLessThan(0.0045);
    const { status, stdout, stderr } = await evaluate(fileOf({ ...parts, usd: 1 }), '--no-probe');
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^evaluation small: 2 runs, \$0\.00\d+ of \$1\.00 spent\n/);
    expect(runsOf('small').map((run) => resultsOf(run).length)).toEqual([4, 4]);
  });

  it('refuses to go on with other settings', async () => {
    const path = fileOf({});
    writeFileSync(path, `${readFileSync(path, 'utf8')}\nrun: { contextTokens: 9000 }\n`);
    expect(await evaluate(path)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^turnwise: questions by trivial_question_only with a: run both-\S+ exists and was started differently \(.*contextTokens: was none, is 9000\); give the evaluation another `name`, or what has changed another `label`.*\n$/,
      ) as unknown,
    });
  });
});

describe('an evaluation file that is wrong', () => {
  const question = '{"uuid":"q","question":"Why?"}\n';
  const good = 'datasets: [q.jsonl]\nmethods: [trivial_question_only]\nmodels: [a]\n';
  const folder = join(home, 'wrong');

  it.each<[string, string, RegExp]>([
    ['no YAML', 'datasets: [q.jsonl', /wrong\.yaml is not YAML: /],
    ['nothing', '', /line 1: datasets is missing/],
    ['a list', '- a\n', /line 1: it must be a list of `name: value`/],
    [
      'an unknown key',
      `${good}epoch: 2\n`,
      /line 4: epoch is no setting \(did you mean epochs\?\)/,
    ],
    [
      'a key where another is missing',
      good.replace('models', 'model'),
      /line 3: model is no setting \(did you mean models\?\)/,
    ],
    [
      'an unknown key of a dataset',
      good.replace('[q.jsonl]', '[{ path: q.jsonl, stor: papers }]'),
      /line 1: datasets\[0\]\.stor is no setting \(did you mean store\?\)/,
    ],
    [
      'an unknown key that is near nothing',
      `${good}colour: red\n`,
      /line 4: colour is no setting; there are name, datasets, store, methods/,
    ],
    [
      'an unknown method',
      good.replace('question_only', 'questions_only'),
      /line 2: methods\[0\] must be one of hybrid_react, .* \(did you mean trivial_question_only\?\)/,
    ],
    ['no models', good.replace('[a]', '[]'), /line 3: models must have at least 1 entry/],
    [
      'a number as a model',
      good.replace('[a]', '[1]'),
      /models\[0\] must be a text, or a list of `name: value`/,
    ],
    [
      'a model twice',
      good.replace('[a]', '[a, a]'),
      /line 3: models\[1\] is a once more: give one of them another `label`/,
    ],
    [
      'a temperature out of range',
      good.replace('[a]', '[{ name: a, temperature: 3 }]'),
      /models\[0\]\.temperature must be at most 2/,
    ],
    [
      'a budget that is no number',
      `${good}budget: { usd: much }\n`,
      /line 4: budget\.usd must be a number/,
    ],
    [
      'a concurrency of none',
      `${good}concurrency: 0\n`,
      /concurrency must be auto, or a whole number from 1 to 2000/,
    ],
    ['a name with a slash', `${good}name: a/b\n`, /line 4: name must be 1 to 80 letters/],
    [
      'a missing dataset',
      good.replace('q.jsonl', 'nowhere.jsonl'),
      /the dataset nowhere\.jsonl cannot be read/,
    ],
    [
      'a dataset that is none',
      good.replace('q.jsonl', 'broken.jsonl'),
      /broken\.jsonl: line 1: is not a JSON object/,
    ],
    [
      'a plugin that is not there',
      `${good}plugins: [mine.ts]\n`,
      /wrong\/mine\.ts.*no such file|mine\.ts cannot be read/,
    ],
    ['a scorer of no plugin', `${good}scorer: mine\n`, /there is no scorer mine/],
    ['an unknown store', `${good}store: paper\n`, /there is no store 'paper'/],
    [
      'a method without its store',
      good.replace('trivial_question_only', 'database_react'),
      /q by database_react with a: method database_react searches the database of a store: name it/,
    ],
    [
      'a model without a price',
      `${good.replace('[a]', '[z]')}budget: { usd: 1 }\n`,
      /q by trivial_question_only with z: what z costs is not known/,
    ],
    [
      'an even panel of judges',
      `${good}judges: { models: [a, b] }\n`,
      /2 judges can be of two minds/,
    ],
  ])('has %s', async (_, text, sentence) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'q.jsonl'), question);
    writeFileSync(join(folder, 'broken.jsonl'), 'Why?\n');
    writeFileSync(join(folder, 'wrong.yaml'), text);
    const { status, stdout, stderr } = await evaluate(join(folder, 'wrong.yaml'), '--dry-run');
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^turnwise: [^\n]+\n$/);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('is missing, or is a folder', async () => {
    expect((await evaluate(join(home, 'no.yaml'))).stderr).toMatch(/no\.yaml cannot be read/);
    expect((await evaluate(home)).stderr).toMatch(/cannot be read/);
    expect(await turnwise(['eval'], settings).finished).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('name the file of the evaluation') as unknown,
    });
  });
});

it('writes the tables over databases beside the page', async () => {
  const example = join(checkout, 'examples/database-qa');
  const own = await startSimulatedModel({ script: join(example, 'replies.json') });
  const file = join(home, 'databases.yaml');
  writeFileSync(
    file,
    `datasets: [{ path: ${join(example, 'questions.jsonl')}, label: Example, limit: 2 }]\nmethods: [sequential, iterative]\nmodels: [a]\n`,
  );
  const asked = turnwise(['eval', file, '--yes'], { ...settings, OPENAI_BASE_URL: own.url });
  const { status, stdout, stderr } = await asked.finished;
  await own.close();
  expect(status, stderr).toBe(0);
  const [, page = ''] = /^tables over databases: (.*)$/m.exec(stdout) ?? [];
  expect(page).toBe(join(home, 'evaluations', 'databases-Example.html'));
  expect(readFileSync(page, 'utf8')).toContain('Table 2: the agents');
});

it('tries the scorers of all datasets before any question is asked', async () => {
  const item = { uuid: 'q', question: 'Why?' };
  const program = { eval_func: 'eval_program', eval_kwargs: { program: 'exit 3' } };
  writeFileSync(join(home, 'plain.jsonl'), `${JSON.stringify(item)}\n`);
  writeFileSync(join(home, 'own.jsonl'), `${JSON.stringify({ ...item, evaluator: program })}\n`);
  const file = join(home, 'scorers.yaml');
  writeFileSync(
    file,
    'datasets: [plain.jsonl, own.jsonl]\nmethods: [trivial_question_only]\nmodels: [a]\n',
  );
  const before = model.stats().received;
  const { status, stderr } = await turnwise(['eval', file, '--yes'], settings).finished;
  expect(status, stderr).toBe(2);
  expect(stderr).toContain('the scorer gives no score for the gold answer');
  // The probe of the model, which both runs share.
  expect(model.stats().received - before).toBe(1);
});

it('writes pages in which axe finds nothing', async () => {
  const browser = await startBrowser();
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  for (const name of ['both', 'databases-Example']) {
    await page.goto(pathToFileURL(join(home, 'evaluations', `${name}.html`)).href);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await isWithin(page)).toBe(true);
  }
  await browser.close();
});
