import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { Activities } from '../../activities/index.js';
import { sampleKeySchema } from '../../domain/ids.js';
import { endRecordSchema } from '../../domain/questions/end-record.js';
import { questionRefSchema, turnRefSchema } from '../../domain/questions/question-ref.js';
import { sampleSchema } from '../../domain/questions/samples.js';
import { observationRecordSchema, replyRecordSchema } from '../../domain/questions/turn-record.js';
import { runManifestSchema } from '../../domain/runs/run-manifest.js';
import { emptyRun, runStateSchema } from '../../domain/runs/run-state.js';
import { runTotalsSchema } from '../../domain/runs/run-totals.js';
import { noUsage, usageSchema } from '../../domain/usage.js';
import type { answerQuestionWorkflow } from '../../workflows/answer-question.js';
import type { QuestionReport, RunProgress } from '../../workflows/messages.js';
import type { runDatasetWorkflow } from '../../workflows/run-dataset.js';
import { exampleManifest } from '../support/example-manifest.js';
import {
  exampleEnd,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../support/example-records.js';

/** What is left of a value after JSON: `never` in place of what JSON cannot carry. */
type AfterJson<T> = T extends string | number | boolean | null
  ? T
  : T extends
        | bigint
        | symbol
        | ((...args: never) => unknown)
        | Date
        | ReadonlyMap<unknown, unknown>
        | ReadonlySet<unknown>
    ? never
    : T extends object
      ? {
          [K in keyof T]: undefined extends T[K]
            ? AfterJson<Exclude<T[K], undefined>> | undefined
            : AfterJson<T[K]>;
        }
      : never;

describe('what crosses the boundary of a workflow or an activity', () => {
  it('is what JSON can carry', () => {
    type Inputs = { [K in keyof Activities]: Parameters<Activities[K]>[0] };
    type Results = { [K in keyof Activities]: Exclude<Awaited<ReturnType<Activities[K]>>, void> };
    expectTypeOf<Inputs>().toExtend<AfterJson<Inputs>>();
    expectTypeOf<AfterJson<Inputs>>().toExtend<Inputs>();
    expectTypeOf<AfterJson<Results>>().toExtend<Results>();
    expectTypeOf<AfterJson<Results>['askModel']>().not.toBeNever();

    type Input<W extends (input: never) => unknown> = Parameters<W>[0];
    expectTypeOf<AfterJson<Input<typeof runDatasetWorkflow>>>().toExtend<
      Input<typeof runDatasetWorkflow>
    >();
    expectTypeOf<AfterJson<Input<typeof answerQuestionWorkflow>>>().toExtend<
      Input<typeof answerQuestionWorkflow>
    >();
    expectTypeOf<AfterJson<QuestionReport>>().toExtend<QuestionReport>();
    expectTypeOf<AfterJson<RunProgress>>().toExtend<RunProgress>();
  });

  it('would not be what JSON cannot carry', () => {
    expectTypeOf<AfterJson<{ at: Date }>['at']>().toBeNever();
    expectTypeOf<AfterJson<{ rows: bigint[] }>['rows'][number]>().toBeNever();
    expectTypeOf<AfterJson<{ texts: ReadonlyMap<string, string> }>['texts']>().toBeNever();
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
