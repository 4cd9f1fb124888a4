import { z } from 'zod';
import { amountSchema } from '../budget/amount.js';
import { failureNameSchema } from '../failure-type.js';
import { runIdSchema, sampleKeySchema, type RunId } from '../ids.js';
import { callAttemptsSchema } from '../models/call-attempts.js';
import type { Sample } from './dataset.js';

/** A sample of a run. Activities get only references; the texts are in the run's files. */
export const questionRefSchema = sampleKeySchema.extend({
  run: runIdSchema,
  /** What comes late of an earlier asking stays with it. @defaultValue 1 for workflows, otherwise the current one */
  asking: z.int().min(1).optional(),
});
export type QuestionRef = Readonly<z.infer<typeof questionRefSchema>>;

/** Without what else an input holds. */
export const questionRefOf = ({ run, uuid, epoch, asking = 1 }: QuestionRef): QuestionRef => ({
  run,
  uuid,
  epoch,
  asking,
});

export const turnRefSchema = questionRefSchema.extend({ turn: z.int().min(1) });
export type TurnRef = Readonly<z.infer<typeof turnRefSchema>>;

/** Why a question waits between two turns. Such a wait does not count as an attempt. */
export const waitReasons = [
  'rate-limit',
  'quota',
  'budget',
  'run',
  'outage',
  'pause',
  'batch',
] as const;
export type WaitReason = (typeof waitReasons)[number];

/** The result of work that is not done now: something it needs does not allow it. */
export const deferralSchema = z.object({
  kind: z.literal('deferred'),
  reason: z.enum(waitReasons),
  message: z.string(),
  /** When to try again. Null if waiting does not help. */
  retryAfterMs: z.number().nonnegative().nullable(),
  /** The reservation that the run's budget did not allow, or of a call for a batch. Absent for other reasons. */
  need: amountSchema.optional(),
  /** The batch that the call is in. Absent for a call that is to be collected, and for other reasons. */
  batch: z.int().optional(),
  /** What fails, in an outage; what ends the call, where deferrals of it count. */
  failure: failureNameSchema.optional(),
  /** What the call begins with when it is made again. Absent for nothing. */
  attempts: callAttemptsSchema.omit({ stage: true, paid: true }).optional(),
});
export type Deferral = Readonly<z.infer<typeof deferralSchema>>;

/** The question's budget does not allow another call, so the question ends. */
export interface BudgetStop {
  readonly kind: 'budget-stop';
}

/** How the model calls of a question are made, and what becomes of what fails. */
export interface CallPolicy {
  readonly modelTimeoutMs: number;
  /** Failed attempts at one call before its question goes on without it, or waits. */
  readonly modelAttempts: number;
  /**
   * Whether a question ends or waits when a call, a search, a statement or its context fails for a reason outside of it,
   * after its retries. @defaultValue 'end'
   */
  readonly onFailure?: 'end' | 'wait';
}

/** What all questions of a run are asked with. */
interface AskingSettings extends CallPolicy {
  readonly maxTurns: number;
  /** Whether the method needs something of the store before the first turn. @defaultValue false */
  readonly needsContext?: boolean;
  /** From the first turn on, pauses apart; then the question ends as `deadline`. @defaultValue no limit */
  readonly timeLimitMs?: number;
  /** How many judges the run has. @defaultValue none */
  readonly judges?: number;
}

/** What all questions of a run have in common. */
export interface QuestionSettings extends AskingSettings {
  readonly run: RunId;
  /** Search attributes of each question. */
  readonly model: string;
  readonly method: string;
  /** Absent for a run whose questions name their databases. */
  readonly store?: string;
}

/** What the workflow of a question begins with. */
export interface AnswerQuestionInput extends QuestionRef, AskingSettings {
  /** Shortened, for screens. The whole text is in the run's files. */
  readonly question: string;
  /** Whether the SQL of the answer is executed before it is scored. @defaultValue false */
  readonly executes?: boolean;
  /** Whether a scorer of the user's scores the answer. @defaultValue false */
  readonly ownScorer?: boolean;
}

/** Lists the fields, so that the state a run carries does not enter the history with each of its questions. */
export const questionSettings = ({
  run,
  model,
  method,
  store,
  ...input
}: QuestionSettings): QuestionSettings => ({
  ...{ run, model, method },
  ...(store !== undefined && { store }),
  ...askingSettings(input),
});

export const questionInput = (
  { run, ...settings }: QuestionSettings,
  { uuid, epoch, question, executes, ownScorer, asking }: Sample,
): AnswerQuestionInput => ({
  ...{ run, uuid, epoch, question },
  ...askingSettings(settings),
  ...(executes && { executes }),
  ...(ownScorer && { ownScorer }),
  ...(asking !== undefined && { asking }),
});

const askingSettings = ({
  maxTurns,
  modelTimeoutMs,
  modelAttempts,
  needsContext,
  onFailure,
  timeLimitMs,
  judges,
}: AskingSettings): AskingSettings => ({
  ...{ maxTurns, modelTimeoutMs, modelAttempts },
  ...(needsContext && { needsContext }),
  ...(onFailure && { onFailure }),
  ...(timeLimitMs !== undefined && { timeLimitMs }),
  ...(judges !== undefined && { judges }),
});
