import { describe, expect, it } from 'vitest';
import type { SampleKey } from '../../../domain/ids.js';
import {
  isHopeless,
  isLarge,
  nextProbes,
  recordAnswered,
  recordGone,
  recordHindered,
  recordProbing,
  recordRecovered,
  outageSchema,
  type Outage,
} from '../../../domain/runs/outages.js';
import { sampleKey } from '../../support/runs/example-records.js';

const holdAfter = 3;
const [a, b, c] = ['a', 'b', 'c'].map((name) => sampleKey(name)) as [
  SampleKey,
  SampleKey,
  SampleKey,
];
const failure = 'ModelUnavailable';

const hinder = (
  outages: readonly Outage[],
  key: SampleKey,
  now = 0,
  failed: Outage['failure'] = failure,
): readonly Outage[] =>
  recordHindered(outages, { key, failure: failed, message: 'no' }, now, holdAfter);
/** Each of `keys` tries for all and fails, one after the other, at the time of its probe. */
const probeInVain = (
  outages: readonly Outage[],
  ...keys: readonly SampleKey[]
): readonly Outage[] =>
  keys.reduce((before, key) => {
    const [probe] = nextProbes(before, [key]);
    if (probe === undefined) throw new Error('there is nothing to probe');
    return hinder(recordProbing(before, probe), key, probe.at);
  }, outages);
const untilProbe = (outages: readonly Outage[], waiting: readonly SampleKey[], now: number) =>
  nextProbes(outages, waiting).map(({ key, at }) => [key.uuid, at - now]);

describe('an outage', () => {
  it('lets one question try for all that wait, and the next one when that has failed', () => {
    const hindered = hinder(hinder([], a), b);
    expect(untilProbe(hindered, [a, b], 0)).toEqual([['a', 5_000]]);
    const [probe] = nextProbes(hindered, [a, b]);
    const probing = recordProbing(hindered, probe as NonNullable<typeof probe>);
    expect(untilProbe(probing, [b], 0)).toEqual([]);
    expect(untilProbe(hinder(probing, a, 6_000), [a, b], 6_000)).toEqual([['b', 10_000]]);
  });

  it.each([
    ['ten minutes where few wait', [a], 600_000],
    ['one minute where many do', [a, b, c], 60_000],
  ] as const)('has pauses of at most %s', (_name, keys, longest) => {
    const hindered = keys.reduce<readonly Outage[]>((before, key) => hinder(before, key), []);
    const tried = probeInVain(hindered, ...Array.from({ length: 30 }, () => a));
    const at = nextProbes(tried, [a])[0]?.at ?? 0;
    const again = probeInVain(tried, a);
    expect((nextProbes(again, [a])[0]?.at ?? 0) - at).toBe(longest);
  });

  it('is over for a question that got what it needs, and all others try again', () => {
    const hindered = hinder(hinder([], a), b);
    const recovered = recordRecovered(hindered, a, failure, holdAfter);
    expect(recovered).toMatchObject([{ questions: [b], probing: null, probeAt: null }]);
    expect(recordRecovered(recovered, b, failure, holdAfter)).toEqual([]);
    expect(recordRecovered(hindered, a, 'StoreUnavailable', holdAfter)).toEqual(hindered);
  });

  it('lets another one try where the one that tried has ended', () => {
    const hindered = hinder(hinder([], a), b);
    const [probe] = nextProbes(hindered, [a, b]);
    const left = recordGone(recordProbing(hindered, probe as NonNullable<typeof probe>), a);
    expect(untilProbe(left, [b], 0)).toEqual([['b', 0]]);
    expect(recordGone(left, b)).toEqual([]);
  });

  it('is large where as many fail in a row as hold a run, and not while others get what they need', () => {
    const many = [a, b, c].reduce<readonly Outage[]>((before, key) => hinder(before, key), []);
    expect(many.map((outage) => isLarge(outage, holdAfter))).toEqual([true]);
    const between = hinder(recordAnswered(hinder(hinder([], a), b)), c);
    expect(between.map((outage) => isLarge(outage, holdAfter))).toEqual([false]);
  });

  it('takes a question that fails of something else to that', () => {
    const both = hinder(hinder(hinder([], a), b), a, 0, 'StoreUnavailable');
    expect(both).toMatchObject([
      { failure, questions: [b] },
      { failure: 'StoreUnavailable', questions: [a] },
    ]);
  });

  it('survives JSON, as continue-as-new requires', () => {
    const [outage] = hinder([], a);
    expect(outageSchema.parse(JSON.parse(JSON.stringify(outage)))).toEqual(outage);
  });
});

describe('a question that fails while others do not', () => {
  const answers = (outages: readonly Outage[], times: number): readonly Outage[] =>
    Array.from({ length: times }).reduce<readonly Outage[]>(recordAnswered, outages);
  const isGivenUp = (outages: readonly Outage[]): boolean =>
    outages.some((outage) => isHopeless(outage, a, holdAfter));
  const failedOften = probeInVain(hinder([], a), a, a, a);

  it('is hopeless after four failures, once as many were answered as hold a run', () => {
    expect(isGivenUp(failedOften)).toBe(false);
    expect(isGivenUp(answers(failedOften, 2))).toBe(false);
    expect(isGivenUp(answers(failedOften, 3))).toBe(true);
    expect(isGivenUp(answers(probeInVain(hinder([], a), a, a), 3))).toBe(false);
  });

  it('is not given up for what others were answered before it failed', () => {
    const before = answers(hinder([], b), 3);
    expect(isGivenUp(probeInVain(hinder(before, a), a, a, a))).toBe(false);
  });

  it('is not given up for answers of the model where a tool fails', () => {
    const tool = hinder([], a, 0, 'StoreUnavailable');
    expect(isGivenUp(answers(probeInVain(tool, a, a, a), 9))).toBe(false);
  });

  it('is not given up for failures of a time in which many failed', () => {
    const many = [a, b, c].reduce<readonly Outage[]>((before, key) => hinder(before, key), []);
    const tried = probeInVain(many, a, a, a, a, a);
    const over = recordRecovered(tried, b, failure, holdAfter);
    expect(isGivenUp(hinder(answers(over, 3), a))).toBe(false);
  });
});
