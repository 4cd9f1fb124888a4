import type { RunOptions } from './run-options.js';

/** A question, as a line of a dataset (docs/how-to/datasets.md). Other fields are kept. */
export interface Question {
  readonly uuid: string;
  readonly question: string;
  /** How its answers are scored. Without it they are unscored. */
  readonly evaluator?: {
    readonly eval_func: string;
    readonly eval_kwargs: Readonly<Record<string, unknown>>;
  };
  readonly [field: string]: unknown;
}

/** What an evaluation is: the options of `turnwise run`, and these. */
export interface EvaluateOptions extends RunOptions {
  /** The questions, or the path of a dataset in JSONL. */
  readonly questions: string | readonly Question[];
  /** Settings by their names (docs/reference/settings.md). @defaultValue environment, `.env` and `turnwise.yaml` */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called about twice a second while the run goes on, and when it has ended. */
  readonly onProgress?: (progress: Progress) => void;
}

/** A run that goes on. */
export interface Progress {
  /** Questions times epochs. */
  readonly questions: number;
  readonly ended: number;
  readonly inFlight: number;
  /** Over the scores from 0 to 1 so far; null without one. */
  readonly meanScore: number | null;
  readonly scored: number;
  readonly unscored: number;
  /** Known cost in US dollars. */
  readonly usd: number;
  readonly modelCalls: number;
}

/** An ended question. */
export interface Answer {
  readonly uuid: string;
  /** From 1. */
  readonly epoch: number;
  readonly question: string;
  /** Null if the question ended without one. */
  readonly answer: string | null;
  /** How it ended, such as `answered` or `infra-error` (docs/reference/results.md). */
  readonly outcome: string;
  /** How often it was asked: once more for each retry. */
  readonly asking: number;
  /** The type of the failure that ended it, such as `ModelUnavailable`; null for other outcomes. */
  readonly failure: string | null;
  /** What the failure, the refusal or the unreadable reply said; null for other outcomes. */
  readonly outcomeMessage: string | null;
  readonly tags: readonly string[];
  readonly category: string | null;
  /** How it is scored, the gold answer included; null if the question does not say. */
  readonly evaluator: NonNullable<Question['evaluator']> | null;
  /** From 0 to 1; null if it is unscored. */
  readonly score: number | null;
  /** On the scorer's own scale, if that is not 0 to 1; null otherwise. */
  readonly rawScore: number | null;
  /** Null if there is none yet. */
  readonly verdict: 'scored' | 'unscored' | null;
  /** Why it has this score, or none; null if nothing is said. */
  readonly reason: string | null;
  /** The evaluation function; null without one. */
  readonly scorer: string | null;
  /** Those that were asked, with what each concluded. */
  readonly judges: readonly {
    readonly model: string;
    readonly calls: number;
    readonly score: number | null;
    readonly reason: string | null;
  }[];
  /** US dollars; null without judges, or if a price is unknown. */
  readonly judgeCostUsd: number | null;
  /** Who replied, with the number of replies. */
  readonly answeredBy: readonly { readonly model: string; readonly replies: number }[];
  readonly turns: number;
  /** US dollars; null if the price is unknown. */
  readonly costUsd: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** All counts, as in `results.jsonl`: calls, retries, cached and lost tokens. */
  readonly usage: Readonly<Record<string, number>>;
  /** ISO 8601. */
  readonly startedAt: string;
  /** ISO 8601. */
  readonly endedAt: string;
}

/** A turn of a question. */
export interface Turn {
  /** From 1. */
  readonly turn: number;
  /** The reply of the model. */
  readonly reply: string;
  /** The name of the action; null if the reply holds none. */
  readonly action: string | null;
  /** What came of it; null in the last turn, or while it goes on. */
  readonly observation: string | null;
  readonly costUsd: number | null;
}

/** The scores of a run. */
export interface Summary {
  /** Questions times epochs. */
  readonly questions: number;
  readonly ended: number;
  /** Over the scores from 0 to 1; null without one. */
  readonly meanScore: number | null;
  readonly scored: number;
  /** Ended questions without a score: they enter no mean. */
  readonly unscored: number;
  /** How many ended in which way. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** A stored run. Each call reads its files as they are now. */
export interface Run {
  readonly id: string;
  /** Where its files are. */
  readonly folder: string;
  readonly summary: () => Promise<Summary>;
  /** Those of the ended questions, in the order of the dataset. */
  readonly answers: () => Promise<readonly Answer[]>;
  /** @param epoch - @defaultValue 1 */
  readonly turns: (uuid: string, epoch?: number) => Promise<readonly Turn[]>;
  /**
   * Follows the run to its end, where services go on with it. A run that has ended resolves at once.
   * @throws TurnwiseError where nothing goes on with it, or it waits for a command
   */
  readonly follow: (onProgress?: (progress: Progress) => void) => Promise<Summary>;
}
