// cspell:ignore mondya
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSimulatedModel } from '../../simulator/simulated-model.js';
import { resultSchema } from '../../domain/agent/question-result.js';
import {
  checkout,
  eventually,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../support/command-line.js';
import { startHttpEndpoint, type HttpEndpoint } from '../support/fakes/http-endpoint.js';

/** One clear sentence: a single line for the user, and nothing of the program's inside. */
function expectOneSentence(finished: Finished, status: number, sentence: RegExp): void {
  expect(finished.stderr).toMatch(sentence);
  expect(finished.stdout + finished.stderr).not.toMatch(/^\s+at .+:\d+/m);
  expect(finished.status).toBe(status);
}

const home = newHome();
const settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
let up: Running;

beforeAll(async () => {
  up = turnwise(['up'], settings);
  await untilReady(up);
  const papers = join(checkout, 'examples/papers');
  const ingested = await turnwise(['store', 'add', papers, '--store', 'papers'], settings).finished;
  expect(ingested).toMatchObject({ status: 0 });
});

afterAll(async () => {
  up.child.kill('SIGINT');
  expect(await up.finished).toMatchObject({ status: 0 });
});

describe('what a user may type wrong', () => {
  const question = '{"uuid":"a","question":"Why?"}\n';
  it.each<[string, string[], RegExp, Record<string, string>?]>([
    [
      'no key and no endpoint',
      ['ask', 'Why?', '--store', 'papers'],
      /set OPENAI_API_KEY/,
      { OPENAI_BASE_URL: '' },
    ],
    [
      'a missing dataset',
      ['run', 'nowhere.jsonl', '--store', 'papers'],
      /nowhere\.jsonl cannot be read/,
    ],
    [
      'an empty dataset',
      ['run', 'empty.jsonl', '--store', 'papers'],
      /empty\.jsonl: it holds no questions/,
    ],
    [
      'a broken line',
      ['run', 'broken.jsonl', '--store', 'papers'],
      /broken\.jsonl: line 2: is not a JSON object/,
    ],
    [
      'doubled ids',
      ['run', 'doubled.jsonl', '--store', 'papers'],
      /line 2: uuid a stands on line 1 already/,
    ],
    [
      'an unknown store',
      ['ask', 'Why?', '--store', 'nowhere'],
      /there is no store 'nowhere'; there are: papers/,
    ],
    ['an empty question', ['ask', ' ', '--store', 'papers'], /question: must not be empty/],
    ['a folder of questions', ['run', '.', '--store', 'papers'], /the dataset \. cannot be read/],
    [
      'a limit and a sample',
      ['run', 'broken.jsonl', '--store', 'papers', '--limit', '2', '--sample', '2'],
      /'--sample <n>' cannot be used with option '--limit <n>'/,
    ],
    [
      'an unknown option',
      ['run', 'broken.jsonl', '--store', 'papers', '--shop', 'x'],
      /unknown option '--shop'/,
    ],
    [
      'a setting out of range',
      ['runs'],
      /TURNWISE_UI_PORT: must be a port, a whole number from 1 to 65535/,
      { TURNWISE_UI_PORT: '70000' },
    ],
    [
      'an endpoint that is no address',
      ['runs'],
      /OPENAI_BASE_URL: must be a URL, such as/,
      { OPENAI_BASE_URL: 'localhost' },
    ],
    [
      'an unknown paper',
      ['ask', 'Why?', '--store', 'papers', '--paper', 'x'],
      /has no paper 'x'; `turnwise store show/,
    ],
    [
      'an unknown method',
      ['ask', 'Why?', '--store', 'papers', '--method', 'x'],
      /there is no method x: choose one of hybrid_react/,
    ],
    [
      'a setting that the model refuses',
      ['ask', 'Why?', '--store', 'papers', '--model', 'o3', '--top-p', '0.5'],
      /o3 takes no --top-p: leave it out/,
    ],
    [
      'a context that holds no question',
      ['ask', 'Why?', '--store', 'papers', '--context-tokens', '2000'],
      /takes about \d+ tokens, and --context-tokens 2000 leaves 500 beside a reply of 1500/,
    ],
    ['an unknown run', ['status', 'nowhere'], /there is no run nowhere/],
    [
      'a mistyped store',
      ['ask', 'Why?', '--store', 'paper'],
      /there is no store 'paper' \(did you mean papers\?\); there are: papers/,
    ],
    [
      'a mistyped option that is needed',
      ['store', 'add', '.', '--stor', 'papers'],
      /^error: unknown option '--stor' \(did you mean --store\?\)/,
    ],
    [
      'two values of one option',
      ['ask', 'Why?', '--store', 'papers', '--model', 'a', '--model', 'b'],
      /^error: option '--model <name>' is given twice, and takes one value/,
    ],
    [
      'a value of another kind in a dataset',
      ['run', 'kinds.jsonl', '--store', 'papers'],
      /kinds\.jsonl: line 1: question: is missing, or is no text/,
    ],
    ['a run id that is a path', ['status', '../x'], /must be 1 to 80 letters/],
    [
      'a missing folder of PDFs',
      ['store', 'add', 'nowhere', '--store', 'papers'],
      /there is no file or folder nowhere/,
    ],
    [
      'turns below one',
      ['ask', 'Why?', '--store', 'papers', '--max-turns', '0'],
      /whole number from 1 to 100/,
    ],
  ])('%s', async (_name, args, sentence, more = {}) => {
    writeFileSync(join(home, 'empty.jsonl'), '');
    writeFileSync(join(home, 'broken.jsonl'), `${question}{"uuid":`);
    writeFileSync(join(home, 'doubled.jsonl'), question + question);
    writeFileSync(join(home, 'kinds.jsonl'), '{"uuid":"a","question":1}\n');
    const finished = await turnwise(args, { ...settings, ...more }).finished;
    expectOneSentence(finished, 2, sentence);
  });

  it('a mistyped run id is refused with the one that is meant', async () => {
    writeFileSync(join(home, 'one.jsonl'), question);
    const run = ['run', 'one.jsonl', '--store', 'papers', '--run', 'monday', '--dry-run'];
    const dry = await turnwise([...run, '--json'], settings).finished;
    expect(JSON.parse(dry.stdout)).toMatchObject({
      run: 'monday',
      kind: 'new',
      left: 1,
      estimate: { likely: { promptTokens: expect.any(Number) as unknown } },
    });
    expect((await turnwise(['status', 'monday'], settings).finished).status).toBe(2);
    await turnwise(
      [...run.slice(0, -1), '--model-attempts', '1', '--detach', '--no-probe'],
      settings,
    ).finished;
    expectOneSentence(
      await turnwise(['status', 'mondya'], settings).finished,
      2,
      /there is no run mondya \(did you mean monday\?\)/,
    );
    const manifest = readFileSync(join(home, 'runs/monday/manifest.json'), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({
      command: expect.arrayContaining(['run', 'one.jsonl', '--no-probe']) as unknown,
    });
    await turnwise(['cancel', 'monday'], settings).finished;
  });

  it('a run id of another run is refused with what differs', async () => {
    writeFileSync(join(home, 'one.jsonl'), question);
    const run = (...more: string[]): Promise<Finished> =>
      turnwise(
        ['run', 'one.jsonl', '--store', 'papers', '--run', 'one', '--model-attempts', '1', ...more],
        settings,
      ).finished;
    await run('--no-probe', '--on-failure', 'end');
    expectOneSentence(await run('--max-turns', '3'), 2, /run one exists.*maxTurns: was 20, is 3/);
  });

  it('a TURNWISE_HOME that cannot be written', async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, '');
    const finished = await turnwise(['up'], { TURNWISE_HOME: join(file, 'home') }, home).finished;
    expectOneSentence(finished, 2, /a-file.* cannot be written to: .*set TURNWISE_HOME/);
  });

  it('a place for an export that cannot be written, and a question that a run does not have', async () => {
    writeFileSync(join(home, 'a-file'), '');
    const out = await turnwise(['export', 'one', '--out', 'a-file/exported'], settings).finished;
    expectOneSentence(out, 2, /a-file\/exported cannot be used .*choose another path/);
    const question = await turnwise(['trajectory', 'one', 'b'], settings).finished;
    expectOneSentence(question, 2, /run one has no question b; `turnwise status one --json` lists/);
  });

  it('a port that is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    const port = await eventually(() => {
      const address = holder.address();
      return typeof address === 'object' ? address?.port : null;
    });
    const finished = await turnwise(['up'], {
      TURNWISE_HOME: newHome(),
      TURNWISE_TEMPORAL_PORT: String(port),
    }).finished;
    holder.close();
    expectOneSentence(
      finished,
      finished.status ?? 0,
      new RegExp(`${port}.*TURNWISE_TEMPORAL_PORT`),
    );
    expect([2, 3]).toContain(finished.status);
  });
});

describe('a model endpoint that', () => {
  const ask = (url: string): Promise<Finished> =>
    turnwise(
      [
        'ask',
        'How many turns?',
        '--store',
        'papers',
        '--model-timeout',
        '0.5',
        '--model-attempts',
        '2',
        '--json',
      ],
      { ...settings, OPENAI_BASE_URL: url, OPENAI_API_KEY: 'sk-bad-input-test' },
    ).finished;
  const completion = (content: unknown) => (response: ServerResponse) =>
    void response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      }),
    );

  it.each<[string, (response: ServerResponse) => void, string]>([
    [
      'refuses the key',
      (response) => void response.writeHead(401).end('{"error":{"message":"no"}}'),
      'ModelRefusedKey',
    ],
    ['knows no such path', (response) => void response.writeHead(404).end('{}'), 'ModelUnknown'],
    ['never answers', () => undefined, 'ModelUnavailable'],
    [
      'answers with a web page',
      (response) => void response.setHeader('content-type', 'text/html').end('<html>'),
      'ModelRepliedNonsense',
    ],
  ])('%s', async (_name, reply, failure) => {
    const endpoint: HttpEndpoint = await startHttpEndpoint(reply);
    const finished = await ask(`${endpoint.url}/v1`);
    await endpoint.close();
    expectInfraError(finished, failure);
  });

  it.each([
    ['empty', completion('')],
    ['null', completion(null)],
  ])('answers with %s content, which is an answer that cannot be read', async (_name, reply) => {
    const endpoint: HttpEndpoint = await startHttpEndpoint(reply);
    const finished = await ask(`${endpoint.url}/v1`);
    expect(endpoint.received).toHaveLength(2);
    await endpoint.close();
    expect(finished.status).toBe(0);
    const result = resultSchema.parse(JSON.parse(finished.stdout));
    expect(result).toMatchObject({ answer: null, outcome: { kind: 'unparseable' } });
  });

  it('does not exist', async () => {
    expectInfraError(await ask('http://127.0.0.1:9/v1'), 'ModelUnavailable');
  });

  function expectInfraError(finished: Finished, failure: string): void {
    expect(finished.status).toBe(1);
    const result = resultSchema.parse(JSON.parse(finished.stdout));
    expect(result).toMatchObject({ answer: null, outcome: { kind: 'infra-error', failure } });
    expect(finished.stdout + finished.stderr).not.toContain('sk-bad-input-test');
  }
});

describe('SQL that a model should not write', () => {
  const statements = [
    ['DELETE FROM metadata', /\[Error\]/],
    ["ATTACH '/tmp/turnwise-attached.db' AS other", /\[Error\]/],
    ["COPY metadata TO '/tmp/turnwise-copied.csv'", /\[Error\]/],
    ["SELECT * FROM read_csv('/etc/passwd')", /\[Error\]/],
    ['SELECT sum(sqrt(range)) FROM range(1000000000000)', /\[TimeoutError\]/],
    ['SELECT count(*) FROM range(100000000000) a, range(100000000000) b', /memory/i],
    ['SELECT * FROM range(10000000)', /\{"range":0\}/],
  ] as const;

  it('becomes an observation that the model can act on, and the question goes on to its answer', async () => {
    const question = 'Can you break the store?';
    const model = await startSimulatedModel({
      script: {
        questions: [
          {
            question,
            steps: statements.map(([sql], index) => ({ thought: `attempt ${index + 1}`, sql })),
            answer: { thought: 'enough', value: 'no' },
          },
        ],
      },
    });
    const finished = await turnwise(['ask', question, '--store', 'papers', '--tool-timeout', '5'], {
      ...settings,
      OPENAI_BASE_URL: model.url,
    }).finished;
    await model.close();
    expect(finished.stdout).toContain('Answer: no');
    expect(finished.status).toBe(0);
    const observations = finished.stdout.match(/^ +→ .*$/gm) ?? [];
    expect(observations).toHaveLength(statements.length);
    for (const [index, [, seen]] of statements.entries()) {
      expect(observations[index]).toMatch(seen);
    }
  });
});

it('ingests nothing when a PDF has the title of a paper and such conflicts shall be raised', async () => {
  const folder = join(home, 'versions');
  mkdirSync(folder, { recursive: true });
  const paper = readFileSync(join(checkout, 'examples/papers/tables-first.pdf'));
  writeFileSync(join(folder, 'tables-second.pdf'), Buffer.concat([paper, Buffer.from('% 2\n')]));
  const shown = () => turnwise(['store', 'show', 'papers', '--json'], settings).finished;
  const before = (await shown()).stdout;
  const args = ['store', 'add', folder, '--store', 'papers', '--on-conflict', 'raise'];
  const finished = await turnwise(args, settings).finished;
  expectOneSentence(
    finished,
    2,
    /nothing was ingested into store papers: tables-second\.pdf has the title of tables-first\.pdf/,
  );
  expect((await shown()).stdout).toBe(before);
});

it('names each PDF that cannot be read, ingests the others, and leaves the store whole', async () => {
  const folder = join(home, 'pdfs');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'note.pdf'), 'This is no PDF.');
  writeFileSync(join(folder, 'cut.pdf'), '%PDF-1.7\n1 0 obj\n<< /Type /Catalog');
  const finished = await turnwise(['store', 'add', folder, '--store', 'papers'], settings).finished;
  expect(finished.status).toBe(2);
  expect(finished.stderr).toMatch(/note\.pdf: .*PDF/);
  expect(finished.stderr).toMatch(/cut\.pdf: /);
  const shown = await turnwise(['store', 'show', 'papers', '--json'], settings).finished;
  expect((JSON.parse(shown.stdout) as { papers: unknown[] }).papers.length).toBeGreaterThan(2);
});
