import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAskModel } from '../../../activities/questions/ask-model.js';
import { createEndQuestion } from '../../../activities/questions/end-question.js';
import { createReadContext } from '../../../activities/questions/question-context.js';
import { createTakeAction } from '../../../activities/questions/take-action.js';
import { answerTraceSchema } from '../../../domain/agent/database-qa/answer-trace.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { traceFile } from '../../../domain/runs/run-manifest.js';
import type { DescribedDatabase } from '../../../domain/stores/database.js';
import { FakeQuestions } from '../../support/fakes/fake-questions.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { fakeTools } from '../../support/fakes/fake-tools.js';
import { runActivity } from '../../support/run-activity.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';
import { exhaustingSql, hostileSql } from '../../support/stores/hostile-sql.js';
import { createTablesUnderTest } from '../../support/stores/tables-under-test.js';

const { tables, store, folder, file, ...underTest } = createTablesUnderTest();
const homes: string[] = [];

beforeAll(underTest.make);
afterAll(() => {
  underTest.remove();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const column = (name: string, type: string) => ({ name, type, nullable: true, description: '' });
const description: DescribedDatabase = {
  name: 'papers',
  tables: [
    {
      name: 'pairs',
      description: '',
      rows: 3,
      columns: [column('a', 'INTEGER'), column('b', 'VARCHAR'), column('note', 'VARCHAR')],
      primaryKey: ['a', 'b'],
      foreignKeys: [],
    },
  ],
};

const fenced = (...queries: readonly string[]): string =>
  queries.map((sql) => `\`\`\`sql\n${sql}\n\`\`\``).join('\n');

/** Plays a question with scripted replies through the activities, over the store under test. */
async function play(
  config: Partial<RunConfig>,
  replies: readonly string[],
  database = description,
) {
  const question = questionInFolder({ database: { name: store } }, (manifest) => ({
    ...manifest,
    store: null,
    databases: { [`{"name":"${store}"}`]: { kind: 'store', name: store } },
    config: { ...manifest.config, ...config },
  }));
  homes.push(question.home);
  const { runFiles, ref } = question;
  const model = new FakeModel(...replies);
  const databases = { description: () => Promise.resolve(database) };
  const tools = { ...fakeTools({}), tables, runFiles, databases, clock };
  const none = () => Promise.reject(new Error('no paper is asked for'));
  const readContext = createReadContext({ ...tools, paperTexts: { titles: none, texts: none } });
  if (config.method === 'no-interaction') await runActivity(readContext, ref);
  for (const turn of replies.keys()) {
    const at = { ...ref, turn: turn + 1 };
    const reply = await runActivity(createAskModel({ ...tools, model }), at);
    if (reply.kind === 'step' && reply.runs) await runActivity(createTakeAction(tools), at);
  }
  const ending = { ...ref, outcome: { kind: 'answered' }, startedAt: clock.now() } as const;
  await runActivity(createEndQuestion({ ...tools, questions: new FakeQuestions() }), ending);
  const trace = await runFiles.json(ref.run, traceFile(ref), answerTraceSchema);
  if (trace === null) throw new Error('no trace was written');
  return { trace, model, end: await runFiles.end(ref.run, ref) };
}

describe('a question about a database', () => {
  it('records the plan, each query with its result, and the answer', async () => {
    const { trace, end, model } = await play({ method: 'sequential' }, [
      'Find the notes.',
      fenced(
        'SELECT a, note FROM pairs ORDER BY a',
        'SELECT nothing FROM pairs',
        'SELECT a FROM pairs WHERE a > 9',
      ),
      'So it is.\n<answer>Two have a note.</answer>',
    ]);
    expect(trace).toMatchObject({
      method: 'sequential',
      model: 'fake-model',
      stoppedBy: 'agent',
      plan: { text: 'Find the notes.', words: 3 },
      answer: { text: 'Two have a note.', words: 4 },
      queries: [
        { status: 'rows', rows: 3, shownRows: 3, shown: 'a,note\n1,first\n2,\n3,third' },
        { status: 'error', rows: 0, error: expect.stringContaining('nothing') as unknown },
        { status: 'empty', rows: 0, shown: 'a\n(0 rows)' },
      ],
    });
    expect(end?.result).toMatchObject({ answer: 'Two have a note.', turns: 3 });
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('1,first');
  });

  it('runs one query a round, and at most twenty of a reply', async () => {
    const two = fenced('SELECT 1', 'SELECT 2');
    const rounds = await play({ method: 'iterative' }, ['NEXT: one', two, 'ENOUGH', 'x']);
    expect(rounds.trace.queries.map(({ status }) => status)).toEqual(['rows', 'refused']);
    const many = fenced(...Array.from({ length: 200 }, (_, n) => `SELECT ${n}`));
    const { trace } = await play({ method: 'sequential' }, ['plan', many, 'x']);
    expect(trace.queries.filter(({ status }) => status === 'rows')).toHaveLength(20);
    expect(trace.queries.filter(({ status }) => status === 'refused')).toHaveLength(180);
    expect(trace.queries[20]?.error).toBe('too many: at most 20 of a reply are run');
  });

  it('shows every row to no-interaction', async () => {
    const { model, trace } = await play({ method: 'no-interaction' }, ['<answer>x</answer>']);
    const [request] = model.requests;
    expect(JSON.stringify(request?.messages)).toContain('pairs:\\na,b,note\\n1,x,first\\n2,y,\\n');
    expect(trace).toMatchObject({ method: 'no-interaction', plan: { text: '' }, queries: [] });
  });

  it('overflows the context before anything is sent, with both sizes', async () => {
    const [table] = description.tables;
    const large = { ...description, tables: table ? [{ ...table, rows: 10_000_000 }] : [] };
    const playing = play({ method: 'no-interaction', contextTokens: 8000 }, [], large);
    await expect(playing).rejects.toMatchObject({
      type: 'ContextOverflow',
      message:
        'all rows of the database are about 10000000 tokens, and the context of 8000 leaves 6500 beside a reply',
    });
    const small = play({ method: 'sequential', contextTokens: 1600 }, ['plan']);
    await expect(small).rejects.toMatchObject({
      type: 'ContextOverflow',
      message: expect.stringMatching(
        /^turn 1 needs about \d+ tokens .* of 1600 leaves 100 beside/,
      ) as unknown,
    });
  });
});

const sha256 = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const files = (): readonly string[] => readdirSync(folder, { recursive: true }).map(String).sort();

describe('hostile SQL of an agent', () => {
  it('writes nothing and reads nothing outside', async () => {
    const before = { sha256: sha256(), files: files() };
    const statements = hostileSql(folder);
    for (let from = 0; from < statements.length; from += 20) {
      const reply = JSON.stringify(statements.slice(from, from + 20));
      const { trace } = await play({ method: 'sequential' }, ['plan', reply, 'x']);
      // A list of statements is split: its harmless part runs.
      const ran = trace.queries.filter(({ status }) => status === 'rows');
      expect(ran.filter(({ sql }) => !/^SELECT \d$/.test(sql))).toEqual([]);
      const shown = trace.queries.map((query) => query.shown.replaceAll(query.sql, '')).join('\n');
      expect(shown).not.toContain('canary-of-the');
    }
    expect({ sha256: sha256(), files: files() }).toEqual(before);
  });

  it('ends within its limits', async () => {
    const { trace } = await play({ method: 'sequential', toolTimeoutMs: 300 }, [
      'plan',
      JSON.stringify(exhaustingSql.slice(0, 20)),
      'x',
    ]);
    for (const { status } of trace.queries)
      expect(['timeout', 'error', 'refused']).toContain(status);
  });
});
