import { z } from 'zod';
import { failureTypes, type FailureType } from '../failure-type.js';

const failureTypeSchema = z.enum(Object.keys(failureTypes) as [FailureType, ...FailureType[]]);

/** How a question ended. Only `answered` and `abstained` say something about the model's knowledge. */
export const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answered') }),
  /** The model ended the question with an empty answer. */
  z.object({ kind: z.literal('abstained') }),
  z.object({ kind: z.literal('turn-limit'), maxTurns: z.int().positive() }),
  /** No reply of the whole question could be read as an action. */
  z.object({ kind: z.literal('unparseable'), lastError: z.string() }),
  z.object({ kind: z.literal('budget-stop') }),
  z.object({ kind: z.literal('deadline') }),
  z.object({ kind: z.literal('context-overflow'), message: z.string() }),
  z.object({ kind: z.literal('cancelled') }),
  /** Something outside the model and the question failed: never a score of 0. */
  z.object({
    kind: z.literal('infra-error'),
    failure: z.union([failureTypeSchema, z.literal('Unknown')]),
    message: z.string(),
  }),
]);
export type Outcome = Readonly<z.infer<typeof outcomeSchema>>;
export type OutcomeKind = Outcome['kind'];

export const outcomeKinds = [
  'answered',
  'abstained',
  'turn-limit',
  'unparseable',
  'budget-stop',
  'deadline',
  'context-overflow',
  'cancelled',
  'infra-error',
] as const satisfies readonly OutcomeKind[];

/** Whether the model ended the question itself, with what can be scored. */
export const isAnswer: Readonly<Record<OutcomeKind, boolean>> = {
  answered: true,
  abstained: true,
  'turn-limit': false,
  unparseable: false,
  'budget-stop': false,
  deadline: false,
  'context-overflow': false,
  cancelled: false,
  'infra-error': false,
};

/** Whether a question ended for reasons that lie outside the model: what exit status 1 and `retry` are about. */
export const endedForOutsideReasons: Readonly<Record<OutcomeKind, boolean>> = {
  answered: false,
  abstained: false,
  'turn-limit': false,
  unparseable: false,
  'budget-stop': true,
  deadline: true,
  'context-overflow': false,
  cancelled: true,
  'infra-error': true,
};
