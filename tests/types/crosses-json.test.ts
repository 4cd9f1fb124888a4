import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { Activities } from '../../activities/index.js';
import { sampleKeySchema } from '../../domain/ids.js';
import { endRecordSchema } from '../../domain/runs/question-end.js';
import {
  questionRefSchema,
  turnRefSchema,
  type AnswerQuestionInput,
} from '../../domain/runs/question-ref.js';
import { sampleSchema } from '../../domain/runs/dataset.js';
import { observationRecordSchema, replyRecordSchema } from '../../domain/agent/turn-record.js';
import { runManifestSchema } from '../../domain/runs/run-manifest.js';
import { emptyRun, runStateSchema } from '../../domain/runs/run-state.js';
import { runTotalsSchema } from '../../domain/runs/run-totals.js';
import { noUsage, usageSchema } from '../../domain/models/usage.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import type { QuestionReport } from '../../workflows/messages.js';
import type { RunDatasetInput } from '../../workflows/run-dataset.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import {
  exampleEnd,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../support/runs/example-records.js';

type Unfit =
  | bigint
  | symbol
  | Date
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ((...args: never) => unknown);

/** What is left of a value after JSON: `never` in place of what it cannot carry. */
type AfterJson<T> = T extends string | number | boolean | null
  ? T
  : T extends Unfit
    ? never
    : { [K in keyof T]: AfterJson<Exclude<T[K], undefined>> | Extract<T[K], undefined> };

type Survives<T> = [T] extends [AfterJson<T>] ? true : false;

type InputOf<F> = F extends (input: infer I) => unknown ? I : never;
type ResultOf<F> = F extends (input: never) => Promise<infer R> ? Exclude<R, void> : never;

describe('what crosses the boundary of a workflow or an activity', () => {
  it('is what JSON can carry', () => {
    type All = Readonly<Record<keyof Activities, true>>;
    type Inputs = { [K in keyof Activities]: Survives<InputOf<Activities[K]>> };
    type Results = { [K in keyof Activities]: Survives<ResultOf<Activities[K]>> };
    expectTypeOf<Inputs>().toEqualTypeOf<All>();
    expectTypeOf<Results>().toEqualTypeOf<All>();
    expectTypeOf<Survives<RunDatasetInput>>().toEqualTypeOf<true>();
    expectTypeOf<Survives<AnswerQuestionInput>>().toEqualTypeOf<true>();
    expectTypeOf<Survives<QuestionReport>>().toEqualTypeOf<true>();
    expectTypeOf<Survives<RunProgress>>().toEqualTypeOf<true>();
  });

  it('would not be what JSON cannot carry', () => {
    expectTypeOf<Survives<{ at: Date }>>().toEqualTypeOf<false>();
    expectTypeOf<Survives<readonly { rows?: bigint[] }[]>>().toEqualTypeOf<false>();
    expectTypeOf<Survives<{ texts: ReadonlyMap<string, string> }>>().toEqualTypeOf<false>();
    expectTypeOf<Survives<{ ask: () => void }>>().toEqualTypeOf<false>();
  });
});

describe('a schema', () => {
  const key = sampleKey('q1');
  const ref = { run: exampleManifest().run, ...key };

  it.each<[string, z.ZodType, unknown]>([
    ['sampleKeySchema', sampleKeySchema, key],
    ['questionRefSchema', questionRefSchema, ref],
    ['turnRefSchema', turnRefSchema, { ...ref, turn: 1 }],
    ['sampleSchema', sampleSchema, { ...key, question: 'Why?', tags: ['text'] }],
    ['usageSchema', usageSchema, noUsage],
    ['runTotalsSchema', runTotalsSchema, { ...emptyRun.totals, outcomes: { answered: 1 } }],
    ['runStateSchema', runStateSchema, { ...emptyRun, inFlight: [key], uncollected: [key] }],
    ['runManifestSchema', runManifestSchema, exampleManifest()],
    ['replyRecordSchema', replyRecordSchema, exampleReply(1, null)],
    ['observationRecordSchema', observationRecordSchema, exampleObservation(1, 'ünïcode \u2028')],
    [
      'endRecordSchema',
      endRecordSchema,
      exampleEnd(key, { kind: 'infra-error', failure: 'Unknown', message: 'lost' }),
    ],
  ])('%s takes back what it let through', (_name, schema, value) => {
    expect(schema.parse(JSON.parse(JSON.stringify(schema.parse(value))))).toEqual(value);
  });
});
