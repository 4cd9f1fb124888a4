import { ownPrompts } from '../../../domain/building/prompts.js';
import { describe, expect, it } from 'vitest';
import {
  annotatorAgreement,
  categoryOf,
  countStates,
  datasetLine,
  nearDuplicates,
} from '../../../domain/building/dataset-summary.js';
import { itemIds, readSeeds, spiderSeeds } from '../../../domain/building/seeds.js';
import { decisionFor } from '../../../client/runs/building/decide-item.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { datasetNameSchema, itemIdSchema } from '../../../domain/ids.js';
import { noCap } from '../../../domain/budget/amount.js';
import { readDataset } from '../../../domain/runs/dataset.js';
import type { Choice, Item } from '../../../domain/building/item.js';
import { atGate, decided, freshItem } from '../../support/runs/building/items.js';

const accept: Choice = { kind: 'accept' };
const label = (category: 'conclusive' | 'interpretive'): Choice => ({ kind: 'accept', category });
const byTwo = (item: Item, first: Choice, second: Choice): Item =>
  decided(decided(item, first, { by: 'ann' }, 2), second, { by: 'bob' }, 2);

describe('the agreement of two annotators', () => {
  it("is Cohen's kappa at each gate, and about the category of what both accept", () => {
    const items = [
      byTwo(atGate('question'), accept, accept),
      byTwo(atGate('question'), accept, { kind: 'reject' }),
      byTwo(atGate('question'), { kind: 'reject' }, { kind: 'reject' }),
      byTwo(atGate('question'), { kind: 'reject' }, { kind: 'reject' }),
      byTwo(atGate('answer'), label('conclusive'), label('interpretive')),
      decided(atGate('rows'), accept, { by: 'ann' }, 2),
    ];
    // By hand: 3 of 4 agree; chance is 0.5 × 0.25 + 0.5 × 0.75 = 0.5.
    expect(annotatorAgreement(items)).toMatchObject([
      { about: 'question', items: 4, agreed: 3, kappa: 0.5 },
      { about: 'answer', items: 1, agreed: 1, kappa: null },
      { about: 'category', items: 1, agreed: 0 },
    ]);
  });

  it('leaves out the decision of whoever adjudicates', () => {
    const differing = byTwo(atGate('question'), accept, { kind: 'reject' });
    const settled = decided(differing, accept, { by: 'eve' }, 2);
    expect(annotatorAgreement([settled])).toMatchObject([{ items: 1, agreed: 0 }]);
  });
});

it('counts items that have not begun as being drafted', () => {
  expect(countStates([atGate('rows')], 3)).toMatchObject({ drafting: 2, 'awaiting-rows': 1 });
});

it.each([
  ['Which branch lends most books?', 'which branch lends most books', 1],
  [
    'Which branch lends the most books in a year?',
    'Which branch lends the most books in May?',
    0.6,
  ],
])('finds questions that say nearly the same: %s', (a, b, least) => {
  const other = { id: 'c', question: 'How many sailors protest?' };
  const found = nearDuplicates([{ id: 'a', question: a }, other, { id: 'b', question: b }]);
  expect(found).toMatchObject([{ a: 'a', b: 'b' }]);
  expect(found[0]?.similarity).toBeGreaterThanOrEqual(least);
});

describe('seeds', () => {
  it('name each line that is none', () => {
    const { seeds, problems } = readSeeds(
      '{"question":"Q?","database":{"path":"a.sql"}}\n\nnothing\n{"question":" ","database":{"path":"a"}}\n{"question":"Q?"}\n',
    );
    expect(seeds).toHaveLength(1);
    expect(problems.map((problem) => problem.slice(0, 7))).toEqual([
      'line 3:',
      'line 4:',
      'line 5:',
    ]);
  });

  it('are read from the file of Spider', () => {
    expect(spiderSeeds([{ db_id: 'pets_1', question: 'Q?', query: 'SELECT 1' }])).toEqual([
      {
        question: 'Q?',
        database: { path: 'database/pets_1/pets_1.sqlite' },
        source: 'Spider, pets_1',
      },
    ]);
    expect(spiderSeeds({ questions: [] })).toBeNull();
  });

  it('give ids that are names of folders, each once', () => {
    expect(
      itemIds([
        { uuid: 'Library-1', database: 'x' },
        { uuid: 'library-1', database: 'x' },
        { uuid: '../x', database: 'Tram Net.v2' },
        { database: '' },
      ]),
    ).toEqual(['library-1', 'library-1-2', 'tram-net.v2-3', 'item-4']);
  });
});

it('gives the same decision the same id, and another one another', () => {
  const made = {
    ...{ dataset: datasetNameSchema.parse('trial'), item: itemIdSchema.parse('a-1') },
    ...{ by: 'ann', seen: 1, choice: accept },
  };
  expect(decisionFor(made)).toEqual(decisionFor({ ...made }));
  const others = [
    { ...made, seen: 2 },
    { ...made, by: 'bob' },
    { ...made, choice: { kind: 'reject' } as const },
  ];
  expect(new Set([made, ...others].map((each) => decisionFor(each).id)).size).toBe(4);
});

it('exports an item as `turnwise run` reads it, with where it comes from', () => {
  const item = decided(atGate('answer', freshItem('a-1')), label('interpretive'));
  const text = (part: string, content: string) => ({
    version: 1,
    part,
    text: content,
    results: [],
  });
  const line = datasetLine(
    {
      dataset: datasetNameSchema.parse('trial'),
      model: exampleManifest().config.model,
      ...{ annotators: 1, gateTimeoutMs: null, budget: noCap, seedsFrom: 'seeds.jsonl' },
      ...{ prompts: ownPrompts, paused: false },
      databases: [
        {
          name: 'boats',
          tables: [
            {
              ...{ name: 'boats', description: '', rows: 9, primaryKey: ['id'], foreignKeys: [] },
              columns: [{ name: 'id', type: 'INTEGER', nullable: false, description: '' }],
            },
          ],
        },
      ],
      seeds: [{ item: item.id, database: 0, question: 'Seed?', source: 'ours', licence: 'CC0' }],
    },
    item,
    {
      question: text('question', 'Which boat?'),
      rows: text('rows', 'INSERT INTO boats VALUES (1);'),
      answer: text('answer', 'The first.'),
    } as never,
  );
  expect(categoryOf(item)).toBe('interpretive');
  const reading = readDataset(JSON.stringify(line));
  expect(reading.kind === 'items' ? reading.items : reading).toMatchObject([
    {
      uuid: 'a-1',
      question: 'Which boat?',
      category: 'interpretive',
      referenceAnswer: 'The first.',
      database: { rows: 'INSERT INTO boats VALUES (1);' },
      seedQuestion: 'Seed?',
      licence: 'CC0',
      provenance: { dataset: 'trial', schema: 'boats' },
    },
  ]);
  expect(JSON.stringify(line)).toContain('CREATE TABLE boats');
});
