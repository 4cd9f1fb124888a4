import fc from '../support/fast-check.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { quickCheck } from '../../domain/quick-check.js';
import { datasetItemSchema } from '../../domain/questions/dataset-item.js';
import { resultSchema } from '../../domain/questions/result.js';
import { scoreSchema } from '../../domain/questions/score.js';

const result = {
  uuid: 'q-1',
  epoch: 1,
  answer: null,
  outcome: { kind: 'infra-error', failure: 'Unknown', message: 'gone' },
  turns: 2,
  usage: {
    promptTokens: 10,
    completionTokens: 5,
    cachedTokens: 0,
    reasoningTokens: 0,
    calls: 1,
    retries: 0,
    cacheHits: 0,
  },
  costUsd: 0.5,
  model: 'm',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  trajectory: 'trajectories/q-1.jsonl',
  tools: {
    sqlErrors: { binder: 1 },
    searchErrors: {},
    imageErrors: {},
    calculationErrors: {},
    emptyResults: 0,
    repeatedQueries: 0,
    rowsCut: 0,
    sqlMs: { p50: 3.5, p95: 9, each: [3.5, 9] },
    searchMs: null,
    firstNonEmptyTurn: 1,
    parseErrors: {},
  },
};
const score = {
  uuid: 'q-1',
  epoch: 1,
  score: 1,
  verdict: { kind: 'scored', score: 1, rationale: 'the same' },
  scorer: 'eval_string_exact_match',
};
const item = {
  uuid: 'q-1',
  question: 'Which?',
  evaluator: { eval_func: 'f', eval_kwargs: { gold: ['a', { b: [1, null, true] }] } },
  source: { page: 3 },
};

const files: readonly (readonly [string, z.ZodType, object])[] = [
  ['a result', resultSchema, result],
  ['a score', scoreSchema, score],
  ['an item', datasetItemSchema, item],
];

describe.each(files)('%s', (_, schema, line) => {
  it('is known to be in order', () => {
    expect(quickCheck(schema)(structuredClone(line))).toBe(true);
  });

  it('is never said to be in order where its schema refuses or changes it', () => {
    const check = quickCheck(schema);
    fc.assert(
      fc.property(fc.nat(), fc.jsonValue(), fc.boolean(), (place, odd, isRemoved) => {
        const spoiled = withOddity(line, place, odd, isRemoved);
        const copy = structuredClone(spoiled);
        if (check(copy)) expect(copy).toEqual(schema.parse(spoiled));
      }),
      { seed: 7, numRuns: 2000 },
    );
  });
});

const refused: readonly (readonly [string, z.ZodType, unknown])[] = [
  ['a key that the schema drops', z.object({ a: z.string() }), { a: 'x', b: 1 }],
  ['a key that the schema refuses', z.strictObject({ a: z.string() }), { a: 'x', b: 1 }],
  ['a text that the schema trims', z.string().trim(), ' x'],
  ['a number that is not finite', z.number(), JSON.parse('1e999')],
  ['a number below its least', z.int().min(1), 0],
  ['a number that is not whole', z.int(), 1.5],
  ['a list that is too short', z.array(z.string()).min(1), []],
  ["a key of an object's own making", z.looseObject({}), JSON.parse('{"__proto__": 1}')],
  [
    'a value of which the first of two members would drop something',
    z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })]),
    { a: 'x', b: 'y' },
  ],
  ['what it does not know', z.string().transform(Number), '1'],
  ['a check that it does not know', z.string().refine(() => true), 'x'],
];

it.each(refused)('leaves %s to the schema', (_, schema, value) => {
  expect(quickCheck(schema)(value)).toBe(false);
});

it('adds what is missing and has a default, to each value its own', () => {
  const check = quickCheck(z.object({ tags: z.array(z.string()).default([]) }));
  const [one, other]: { tags?: string[] }[] = [{}, {}];
  expect([check(one), check(other)]).toEqual([true, true]);
  one?.tags?.push('x');
  expect([one, other]).toEqual([{ tags: ['x'] }, { tags: [] }]);
});

/** The same with one of its values, however deep, replaced or removed. */
function withOddity(line: object, place: number, odd: unknown, isRemoved: boolean): unknown {
  const copy = structuredClone(line);
  const places = placesIn(copy);
  const [holder, key] = places[place % places.length] ?? [{}, ''];
  if (isRemoved) Reflect.deleteProperty(holder, key);
  else holder[key] = odd;
  return copy;
}

type Place = readonly [holder: Record<string, unknown>, key: string];

function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key): readonly Place[] => [
    [holder, key],
    ...placesIn(holder[key]),
  ]);
}
