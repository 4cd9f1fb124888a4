import { z } from 'zod';
import { exactJson, firstIssue } from '../formats/json.js';
import type { OwnOutcome } from '../agent/plugin.js';
import type { Evaluator } from './dataset-item.js';
import { signatures } from './scorer-options.js';
import { unscored, type Verdict } from './verdict.js';

/** The evaluation function that asks a program of the user's: `eval_kwargs.program` is a command for a shell. */
export const programScorer = 'eval_program';

/** A scorer that is the user's: a program, or a function of a plugin. */
export type OwnScorer =
  | { readonly kind: 'program'; readonly command: string }
  | { readonly kind: 'plugin'; readonly name: string };

/** Null for the evaluation functions of turnwise, and for a program without a command. */
export function ownScorerOf(evaluator: Evaluator | undefined): OwnScorer | null {
  if (evaluator === undefined) return null;
  const { eval_func: name, eval_kwargs: options } = evaluator;
  if (name === programScorer) {
    const { program } = options;
    return typeof program === 'string' ? { kind: 'program', command: program } : null;
  }
  return signatures.has(name) ? null : { kind: 'plugin', name };
}

/** For users, and as a version of scores keeps it: `scorer NAME`, `program COMMAND`. */
export const ownName = (scorer: OwnScorer): string =>
  scorer.kind === 'plugin' ? `scorer ${scorer.name}` : `program ${scorer.command}`;

/** The inverse of `ownName`. */
export const ownNamed = (text: string): OwnScorer =>
  text.startsWith('scorer ')
    ? { kind: 'plugin', name: text.replace('scorer ', '') }
    : { kind: 'program', command: text.replace('program ', '') };

/** What a scorer of the user's is told of an answer, as one line of JSON or as one argument. */
export interface AskedScore {
  readonly uuid: string;
  /** From 1. */
  readonly epoch: number;
  readonly question: string;
  readonly answer: string;
  /** The right answer, where the evaluator or the question has one; else null. */
  readonly gold: unknown;
  /** The named arguments of the evaluator, without the program. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The question as the dataset has it. */
  readonly item: Readonly<Record<string, unknown>>;
}

export function askedScore(
  { uuid, epoch }: { readonly uuid: string; readonly epoch: number },
  item: Readonly<Record<string, unknown>> & {
    readonly question?: string | undefined;
    readonly referenceAnswer?: string | undefined;
  },
  evaluator: Evaluator,
  answer: string,
): AskedScore {
  const given = Object.entries(evaluator.eval_kwargs).filter(([name]) => name !== 'program');
  return {
    uuid,
    epoch,
    question: item.question ?? '',
    answer,
    gold: goldOf(item, evaluator),
    options: Object.fromEntries(given),
    item,
  };
}

type WithReference = { readonly referenceAnswer?: string | undefined };

const goldOf = (item: WithReference, { eval_kwargs: options }: Evaluator): unknown =>
  options['gold'] ?? options['reference_answer'] ?? item.referenceAnswer ?? null;

/** The right answer as a model would write it; empty where none is known. */
export function goldText(item: WithReference, evaluator: Evaluator): string {
  const gold = goldOf(item, evaluator);
  if (gold === null) return '';
  return typeof gold === 'string' ? gold : exactJson(gold);
}

/** Why a scorer of the user's gave no score, with the last words of a program; null if it gave one, or abstained. */
export function failureOfOwnScorer(outcome: OwnOutcome): string | null {
  const verdict = ownVerdict(outcome);
  if (verdict.kind === 'scored' || verdict.reason !== 'scorer-failed') return null;
  const words = outcome.kind === 'failed' ? outcome.lastWords : undefined;
  return `${verdict.message}${words ? `\nits last words:\n${words}` : ''}`;
}

const foundSchema = z.union(
  [
    z.number().transform((score) => ({ score, reason: undefined })),
    z.object({
      score: z.number('must be a number').nullable(),
      reason: z.string('must be a text').optional(),
    }),
  ],
  { error: 'it is neither a number nor an object with a "score"' },
);

/** The verdict of a scorer of the user's. A score of null, as one that fails, leaves the answer unscored: never 0. */
export function ownVerdict(outcome: OwnOutcome): Verdict {
  if (outcome.kind === 'failed') return unscored('scorer-failed', outcome.message);
  const { success, data, error } = foundSchema.safeParse(outcome.value);
  if (!success) return unscored('scorer-failed', `the scorer gave no score: ${firstIssue(error)}`);
  const { score, reason } = data;
  if (score === null) return unscored('scorer-abstained', reason ?? 'the scorer gave none');
  if (!(score >= 0 && score <= 1)) {
    return unscored('scorer-failed', `the scorer gave ${score}, which is not from 0 to 1`);
  }
  return { kind: 'scored', score, ...(reason !== undefined && { rationale: reason }) };
}

/** The evaluator of an item when a scorer of the user's takes the place of its own, whose arguments it gets. */
export const evaluatorBy = (scorer: OwnScorer, before: Evaluator | undefined): Evaluator => ({
  eval_func: scorer.kind === 'plugin' ? scorer.name : programScorer,
  eval_kwargs: {
    ...before?.eval_kwargs,
    ...(scorer.kind === 'program' && { program: scorer.command }),
  },
});
