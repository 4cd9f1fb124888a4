import { describe, expect, it } from 'vitest';
import type { DatabaseImport } from '../../../../client/runs/database-qa/import-databases.js';
import {
  questionDatabases,
  type QuestionsToAsk,
} from '../../../../client/runs/database-qa/question-databases.js';
import { datasetItemSchema } from '../../../../domain/scoring/dataset-item.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import { databaseIdSchema, databaseKey } from '../../../../domain/stores/database.js';

const good = { path: 'good.sqlite' };
const bad = { path: 'bad.sqlite' };
const id = databaseIdSchema.parse('0'.repeat(32));
const shop = storeNameSchema.parse('shop');
const database = { id, name: 'shop', tables: [], searched: [], sha256: 'a'.repeat(64) };
const imports: Readonly<Record<string, DatabaseImport>> = {
  [databaseKey(good)]: {
    kind: 'imported',
    ref: { kind: 'imported', id },
    description: {
      name: 'good',
      tables: [
        {
          name: 'book',
          description: '',
          rows: 1,
          columns: [{ name: 'id', type: 'BIGINT', nullable: true, description: '' }],
          primaryKey: [],
          foreignKeys: [],
        },
      ],
    },
  },
  [databaseKey(bad)]: { kind: 'refused', message: 'bad.sqlite does not exist' },
};

/** Plans questions about these databases; undefined for a question that names none. */
function plan(
  databases: readonly (typeof good | undefined)[],
  changes: Partial<QuestionsToAsk> = {},
) {
  const items = databases.map((database, index) =>
    datasetItemSchema.parse({ uuid: `q${index + 1}`, question: 'How many?', database }),
  );
  const request: QuestionsToAsk = {
    home: '/nowhere',
    dataset: { path: 'questions.jsonl' },
    store: null,
    config: { method: 'sequential' },
    ...changes,
  };
  const planned = questionDatabases(request, items, ({ sources }) =>
    Promise.resolve(
      new Map(
        sources.flatMap((source) => {
          const found = imports[databaseKey(source)];
          return found ? [[databaseKey(source), found] as const] : [];
        }),
      ),
    ),
  );
  return { items, planned };
}

describe('the databases of questions', () => {
  it('are imported once each, and give the schema of the prompts', async () => {
    const { items, planned } = plan([good, good]);
    const { databases, skipped, schemaOf } = await planned;
    expect(databases).toEqual({ [databaseKey(good)]: { kind: 'imported', id } });
    expect(skipped.size).toBe(0);
    expect(items.map(schemaOf)).toEqual(
      items.map(() => expect.stringContaining('CREATE TABLE book') as unknown),
    );
  });

  it('are left out with their questions where that is wished', async () => {
    const { planned } = plan([good, bad], { skipBadDatabases: true });
    const { databases, skipped } = await planned;
    expect(Object.keys(databases)).toEqual([databaseKey(good)]);
    expect([...skipped]).toEqual([['q2', 'bad.sqlite does not exist']]);
  });

  it.each<[string, Parameters<typeof plan>, string]>([
    [
      'one cannot be read',
      [[good, bad, bad]],
      'questions.jsonl: question q2: bad.sqlite does not exist (and 1 more question with such a database); --skip-bad-databases leaves such questions out',
    ],
    [
      'none can be read',
      [[bad], { skipBadDatabases: true }],
      'questions.jsonl: question q1: bad.sqlite does not exist; no question has a database that can be read',
    ],
    [
      'a question names none',
      [[good, undefined, undefined]],
      'questions.jsonl: questions q2, q3 name no database, and method sequential needs one: give each a "database", or all of them a --store',
    ],
    [
      'the method reads papers',
      [[undefined, good], { config: { method: 'hybrid_react' } }],
      'questions.jsonl: question q2 names a database, which method hybrid_react does not read: choose --method no-interaction, sequential, iterative or text-to-sql',
    ],
    [
      'the method reads papers and there is no store',
      [[undefined], { config: { method: 'hybrid_react' } }],
      'method hybrid_react reads papers: name their store with --store',
    ],
    [
      'the method reads papers and the store holds a database',
      [[undefined], { config: { method: 'neusym_rag' }, store: { name: shop, database } }],
      'method neusym_rag reads papers, and store shop holds a database: choose --method database_react, no-interaction, sequential, iterative or text-to-sql',
    ],
    [
      'the method searches a database and the store holds papers',
      [[undefined], { config: { method: 'database_react' }, store: { name: shop } }],
      'method database_react is for stores of a database, and store shop holds papers: choose --method neusym_rag, which has the same actions',
    ],
    [
      'the method searches a database and there is no store',
      [[undefined], { config: { method: 'database_react' } }],
      'method database_react searches the database of a store: name it with --store',
    ],
  ])('are refused before anything is spent where %s', async (_, given, message) => {
    await expect(plan(...given).planned).rejects.toThrow(message);
  });

  it('of a question from the command line are refused without its name', async () => {
    const alone = { isAlone: true };
    await expect(plan([bad], alone).planned).rejects.toThrow(/^bad.sqlite does not exist$/);
    await expect(plan([undefined], alone).planned).rejects.toThrow(
      'method sequential needs a database: name one with --database, or a store with --store',
    );
  });

  it('are needed by no question that is answered from what the model knows', async () => {
    const config = { method: 'trivial_question_only' } as const;
    expect((await plan([undefined], { config }).planned).databases).toEqual({});
    await expect(plan([good], { config }).planned).rejects.toThrow('does not read');
  });

  it('may be a store for questions that name none', async () => {
    const { planned } = plan([undefined], { store: { name: storeNameSchema.parse('papers') } });
    expect((await planned).databases).toEqual({});
  });
});
