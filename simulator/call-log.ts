import { appendFileSync } from 'node:fs';
import { UserError } from '../domain/user-error.js';

/** How a request ended. `abandoned`: the client closed the connection before the reply. */
export type CallEnd = 'completed' | 'refused' | 'failed' | 'abandoned';

type CallEvent =
  | {
      readonly event: 'received';
      /** From 1, in order of arrival. */
      readonly number: number;
      /** Equal for equal requests. */
      readonly key: string;
      readonly question: string | null;
    }
  | {
      readonly event: 'replied';
      readonly number: number;
      readonly key: string;
      readonly question: string | null;
      readonly end: CallEnd;
      /** `completion`, `rate-limit`, `key`, `unscripted`, `abandoned`, or the name of a fault. */
      readonly detail: string;
    };

/**
 * Returns a function that appends one line for each event. It writes synchronously, so that the log survives a kill.
 * @throws UserError if the file cannot be written.
 */
export function callLog(path: string | undefined): (event: CallEvent) => void {
  if (path === undefined) return () => undefined;
  try {
    appendFileSync(path, '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`The log ${path} cannot be written: ${reason}`);
  }
  return (event) =>
    appendFileSync(path, `${JSON.stringify({ ...event, at: new Date().toISOString() })}\n`);
}

type Counts = Readonly<Record<'received' | CallEnd, number>>;

/** The reply to `GET /simulator/stats`. All counts but `embeddings` are of chat completions. */
export interface SimulatorStats extends Counts {
  readonly inFlight: number;
  readonly peakInFlight: number;
  /** Completed requests with distinct content. `completed` minus this is the number of calls paid for again. */
  readonly distinctCompleted: number;
  /** What was billed: tokens of requests that were completed, or that their caller abandoned. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Those of probes among both. */
  readonly probeTokens: number;
  /** Those of calls in batches, which cost half. */
  readonly batchedPromptTokens: number;
  readonly batchedCompletionTokens: number;
  readonly batches: number;
  /** Requests by which a run finds out whether it can ask the model. */
  readonly probes: number;
  /** Requests for embeddings. */
  readonly embeddings: number;
  /** Keyed by the text of the question; `(none)` for requests without one. */
  readonly perQuestion: Readonly<Record<string, Counts>>;
}

const noCalls: Counts = { received: 0, completed: 0, refused: 0, failed: 0, abandoned: 0 };

/** Counts the requests of a simulated model since its start. */
export class Tally {
  #total = noCalls;
  #inFlight = 0;
  #peakInFlight = 0;
  #promptTokens = 0;
  #completionTokens = 0;
  #probeTokens = 0;
  #batched = { prompt: 0, completion: 0 };
  #batches = 0;
  #probes = 0;
  #embeddings = 0;
  readonly #perQuestion = new Map<string, Counts>();
  readonly #completedKeys = new Set<string>();

  received(question: string | undefined, isProbe: boolean): void {
    if (isProbe) this.#probes++;
    this.#count('received', question);
    this.#inFlight++;
    this.#peakInFlight = Math.max(this.#peakInFlight, this.#inFlight);
  }

  ended(end: CallEnd, question: string | undefined): void {
    this.#count(end, question);
  }

  /** The connection is closed or free again. For a call that hangs this comes long after `ended`. */
  released(): void {
    this.#inFlight--;
  }

  completed(key: string): void {
    this.#completedKeys.add(key);
  }

  billed(
    tokens: { readonly prompt: number; readonly completion: number },
    isProbe: boolean,
    inBatch = false,
  ): void {
    if (inBatch) {
      this.#batched.prompt += tokens.prompt;
      this.#batched.completion += tokens.completion;
    }
    if (isProbe) this.#probeTokens += tokens.prompt + tokens.completion;
    this.#promptTokens += tokens.prompt;
    this.#completionTokens += tokens.completion;
  }

  batchMade(): void {
    this.#batches++;
  }

  embedded(): void {
    this.#embeddings++;
  }

  stats(): SimulatorStats {
    return {
      ...this.#total,
      inFlight: this.#inFlight,
      peakInFlight: this.#peakInFlight,
      distinctCompleted: this.#completedKeys.size,
      promptTokens: this.#promptTokens,
      completionTokens: this.#completionTokens,
      probeTokens: this.#probeTokens,
      batchedPromptTokens: this.#batched.prompt,
      batchedCompletionTokens: this.#batched.completion,
      batches: this.#batches,
      probes: this.#probes,
      embeddings: this.#embeddings,
      perQuestion: Object.fromEntries(this.#perQuestion),
    };
  }

  #count(what: keyof Counts, question = '(none)'): void {
    this.#total = oneMore(this.#total, what);
    this.#perQuestion.set(question, oneMore(this.#perQuestion.get(question) ?? noCalls, what));
  }
}

const oneMore = (counts: Counts, what: keyof Counts): Counts => ({
  ...counts,
  [what]: counts[what] + 1,
});
