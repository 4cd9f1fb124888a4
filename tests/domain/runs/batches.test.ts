import { describe, expect, it } from 'vitest';
import {
  batchesOf,
  batchProgress,
  batchSchema,
  batchesSoFar,
  entryName,
  placeOfEntry,
  waitingCallSchema,
  type Batch,
  type WaitingCall,
} from '../../../domain/runs/batches.js';

const callOf = (
  name: string,
  { api = 'chat', model = 'm', tokens = 10, text = '' } = {},
): WaitingCall =>
  waitingCallSchema.parse({
    ...{
      uuid: name,
      epoch: 1,
      asking: 1,
      id: name,
      failed: 0,
      batch: null,
      size: { kind: 'graph' },
    },
    need: { usd: 0.5, tokens },
    address: { api, baseUrl: 'http://127.0.0.1/v1', model, path: '/chat/completions' },
    body: { text },
  });

const made = (calls: readonly WaitingCall[], earlier: readonly Batch[] = []): readonly Batch[] =>
  batchesOf(calls, { first: 4, earlier, seed: ['run'] });

const idsOf = (batches: readonly Batch[]): readonly string[] =>
  batches.map(({ calls }) => calls.map(({ id }) => id).join(''));

describe('batchesOf', () => {
  it('puts the calls of each address together, with numbers and names of their own', () => {
    const batches = made([callOf('a'), callOf('b', { model: 'judge' }), callOf('c')]);
    expect(idsOf(batches)).toEqual(['ac', 'b']);
    expect(batches.map(({ number }) => number)).toEqual([4, 5]);
    expect(new Set(batches.map(({ name }) => name)).size).toBe(2);
  });

  it('divides what is larger than an API takes', () => {
    const text = 'x'.repeat(2_000_000);
    const calls = ['a', 'b', 'c'].map((name) => callOf(name, { api: 'gemini', text }));
    expect(idsOf(made(calls))).toEqual(['ab', 'c']);
  });

  it('divides what is more than the account may have at once, as an earlier batch has found', () => {
    const [refused] = made([callOf('a')]);
    if (refused === undefined) throw new Error('there is one');
    const earlier = [{ ...refused, mostTokens: 25 }];
    const calls = ['a', 'b', 'c', 'd'].map((name) => callOf(name));
    expect(idsOf(made(calls, earlier))).toEqual(['ab', 'cd']);
    expect(idsOf(made([callOf('a', { tokens: 99 }), callOf('b')], earlier))).toEqual(['a', 'b']);
    expect(
      idsOf(
        made(
          ['a', 'b', 'c'].map((name) => callOf(name, { model: 'n' })),
          earlier,
        ),
      ),
    ).toEqual(['abc']);
  });
});

describe('the name of a call in a batch', () => {
  it('leads back to its place, and only in its batch', () => {
    const [one, two] = made([callOf('a'), callOf('b', { model: 'judge' })]) as [Batch, Batch];
    expect(entryName(one, 12_345)).toMatch(/^[\w-]{1,64}$/);
    expect(placeOfEntry(one, entryName(one, 12_345))).toBe(12_345);
    expect(placeOfEntry(two, entryName(one, 1))).toBeUndefined();
    expect(placeOfEntry(one, undefined)).toBeUndefined();
  });
});

describe('batchesSoFar', () => {
  it('holds what is open, and has spent what has ended', () => {
    const [one, two] = made([callOf('a'), callOf('b', { model: 'judge' })]) as [Batch, Batch];
    const ended = { ...one, hasEnded: true, spent: { usd: 0.1, tokens: 3 } };
    expect(batchesSoFar([ended, two])).toEqual({
      last: 5,
      spent: { usd: 0.1, tokens: 3 },
      open: [{ number: 5, held: { usd: 0.5, tokens: 10 } }],
    });
    expect(batchesSoFar([])).toMatchObject({ last: 0, open: [] });
    expect(batchProgress(ended)).toMatchObject({ number: 4, spent: { usd: 0.1 } });
    expect(batchProgress(two)).toMatchObject({ spent: null, waits: { reason: 'batch' } });
  });

  it('is of files that are read as they were written', () => {
    const [batch] = made([callOf('a')]);
    expect(batchSchema.parse(JSON.parse(JSON.stringify(batch)))).toEqual(batch);
  });
});
