/** What a question takes, on which an estimate of many rests. */
export interface Workload {
  /** Of questions that stand for all: one is enough where nothing more is known. */
  readonly turns: readonly number[];
  /** Prompt tokens that a turn adds to each later call that sees it: a reply, and what the model was told. */
  readonly addedTokens: number;
  /** Of one call, reasoning included. */
  readonly completionTokens: number;
}

export const estimateCases = ['low', 'likely', 'high'] as const;
export type EstimateCase = (typeof estimateCases)[number];

export type Workloads = Readonly<Record<EstimateCase, Workload>>;
