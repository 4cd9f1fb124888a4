import { z } from 'zod';
import { failureNameSchema, type FailureName } from '../failure-type.js';
import { isSameSample, sampleKeySchema, type SampleKey } from '../ids.js';

const count = z.int().nonnegative();

/** Something outside of the questions fails, and those that need it wait. */
export const outageSchema = z.object({
  failure: failureNameSchema,
  /** Of the newest failure. */
  message: z.string(),
  /** Of the first failure, in milliseconds since 1970. */
  since: z.number(),
  /** Those that wait, and those that try again at the moment. The next one to try comes first. */
  questions: z.array(
    sampleKeySchema.extend({
      /** How often it has failed. */
      failed: count,
      /** `signsOfHealth` when it failed first. */
      signsBefore: count,
      /** `signsOfHealth` when it failed last. */
      signsAtLast: count,
    }),
  ),
  /** Questions that have tried again and failed. */
  probes: count,
  /** The question that tries for all others at the moment. */
  probing: sampleKeySchema.nullable(),
  /** When the next one tries, in milliseconds since 1970. Null while one tries, or all do. */
  probeAt: z.number().nullable(),
  /** Questions that got what these ones wait for. */
  signsOfHealth: count,
});
export type Outage = Readonly<z.infer<typeof outageSchema>>;

/** Equal failures in a row that hold a run. */
export const defaultHoldAfter = 5;

/** One question tries for all. Its pauses grow from the first to one of the others: to the shorter one where many wait. */
const firstPauseMs = 5_000;
const longestPauseMs = 60_000;
const longestPauseOfFewMs = 600_000;

/** The pause before the next try. @param probes - tries in vain so far */
export const pauseMs = (probes: number, isLarge: boolean): number =>
  Math.min(firstPauseMs * 2 ** probes, isLarge ? longestPauseMs : longestPauseOfFewMs);

/** A question that fails so often while others get what it needs is the cause itself. */
export const mostFailures = 4;

/** A failure that makes a question wait. */
export interface Hindrance {
  readonly key: SampleKey;
  readonly failure: FailureName;
  readonly message: string;
}

/**
 * Notes that a question waits.
 * @param now - in milliseconds since 1970
 * @param holdAfter - questions that make an outage a large one
 */
export function recordHindered(
  outages: readonly Outage[],
  { key, failure, message }: Hindrance,
  now: number,
  holdAfter: number,
): readonly Outage[] {
  const others = leave(
    outages.filter((outage) => outage.failure !== failure),
    key,
    now,
  );
  const before = outages.find((outage) => outage.failure === failure) ?? {
    failure,
    message,
    since: now,
    questions: [],
    probes: 0,
    probing: null,
    probeAt: null,
    signsOfHealth: 0,
  };
  const known = before.questions.find((question) => isSameSample(question, key));
  const questions = [
    ...before.questions.filter((question) => question !== known),
    {
      uuid: key.uuid,
      epoch: key.epoch,
      failed: (known?.failed ?? 0) + 1,
      signsBefore: known?.signsBefore ?? before.signsOfHealth,
      signsAtLast: before.signsOfHealth,
    },
  ];
  const hasProbed = before.probing !== null && isSameSample(before.probing, key);
  const probes = before.probes + (hasProbed ? 1 : 0);
  const probing = hasProbed ? null : before.probing;
  const after = { ...before, message, questions, probes, probing };
  const probeAt =
    probing !== null ? null : (before.probeAt ?? now + pauseMs(probes, isLarge(after, holdAfter)));
  return [...others, { ...after, probeAt }];
}

/** Notes that a question got what it waited for: all others try again at once. */
export function recordRecovered(
  outages: readonly Outage[],
  key: SampleKey,
  failure: FailureName,
  holdAfter: number,
): readonly Outage[] {
  return outages.flatMap((outage) => {
    if (outage.failure !== failure) return [outage];
    const questions = outage.questions.filter((question) => !isSameSample(question, key));
    if (questions.length === 0) return [];
    const signsOfHealth = outage.signsOfHealth + 1;
    // What failed while many did speaks against none of them.
    const cleared = isLarge(outage, holdAfter)
      ? questions.map((question) => ({ ...question, failed: 0, signsBefore: signsOfHealth }))
      : questions;
    return [
      { ...outage, questions: cleared, signsOfHealth, probes: 0, probing: null, probeAt: null },
    ];
  });
}

/** Notes that a question has ended. Another one tries in its place. */
export const recordGone = (outages: readonly Outage[], key: SampleKey): readonly Outage[] =>
  leave(outages, key, 0);

/** Notes that the model has answered a question. */
export const recordAnswered = (outages: readonly Outage[]): readonly Outage[] =>
  outages.map((outage) =>
    outage.failure.startsWith('Model')
      ? { ...outage, signsOfHealth: outage.signsOfHealth + 1 }
      : outage,
  );

function leave(outages: readonly Outage[], key: SampleKey, probeAt: number): readonly Outage[] {
  return outages.flatMap((outage) => {
    const questions = outage.questions.filter((question) => !isSameSample(question, key));
    if (questions.length === outage.questions.length) return [outage];
    if (questions.length === 0) return [];
    const probed = outage.probing !== null && isSameSample(outage.probing, key);
    return [{ ...outage, questions, ...(probed && { probing: null, probeAt }) }];
  });
}

/** Whether so many have failed in a row: since the last question that got what they wait for. */
export const isLarge = ({ questions, signsOfHealth }: Outage, holdAfter: number): boolean =>
  questions.filter(({ signsAtLast }) => signsAtLast === signsOfHealth).length >= holdAfter;

/** Whether a question fails although others get what it needs, so that waiting does not help it. */
export const isHopeless = (outage: Outage, key: SampleKey, holdAfter: number): boolean =>
  outage.questions.some(
    (question) =>
      isSameSample(question, key) &&
      question.failed >= mostFailures &&
      outage.signsOfHealth - question.signsBefore >= holdAfter,
  );

/** A question that is to try again for all that wait for the same. */
export interface Probe {
  readonly failure: FailureName;
  readonly key: SampleKey;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** The next probe of each outage. @param waiting - the questions that wait */
export const nextProbes = (
  outages: readonly Outage[],
  waiting: readonly SampleKey[],
): readonly Probe[] =>
  outages.flatMap(({ failure, questions, probing, probeAt }) => {
    const key = questions.find((question) =>
      waiting.some((other) => isSameSample(question, other)),
    );
    return key === undefined || probing !== null || probeAt === null
      ? []
      : [{ failure, key: { uuid: key.uuid, epoch: key.epoch }, at: probeAt }];
  });

export const recordProbing = (
  outages: readonly Outage[],
  { failure, key }: Probe,
): readonly Outage[] =>
  outages.map((outage) =>
    outage.failure === failure ? { ...outage, probing: key, probeAt: null } : outage,
  );
