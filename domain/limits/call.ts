/** A call that wants to be sent. */
export interface Call {
  /** Runs are served in turn. */
  readonly run: string;
  /** Of the prompt. */
  readonly characters: number;
  /** Tokens. */
  readonly maxCompletion: number;
  /** `fixed`: whoever sends it limits how many are in flight. */
  readonly concurrency: 'auto' | 'fixed';
  /** It is not worth waiting longer. */
  readonly deadlineMs: number;
}

/** A call that is to be sent now. What becomes of it has to be told to the gate, whatever it is. */
export interface Permit {
  readonly call: Call;
  /** Charged for it. */
  readonly tokens: number;
  readonly sentAtMs: number;
  readonly episode: number;
  /** Calls sent before it in its episode. */
  readonly order: number;
  /** All that was sent, it included. */
  readonly sent: Sent;
}

/** What was sent since the start. */
export interface Sent {
  readonly requests: number;
  readonly tokens: number;
}

/** A call that cannot be sent before its deadline. */
export interface TurnedAway {
  readonly call: Call;
  readonly reason: 'rate-limit' | 'quota';
  /** When it is worth trying again; null where that is not a matter of time. */
  readonly retryAfterMs: number | null;
}

/** What becomes of the calls that wait. */
export interface Served {
  readonly permits: readonly Permit[];
  readonly turnedAway: readonly TurnedAway[];
  /** When to serve again, unless something happens before; null where only that helps. */
  readonly wakeAtMs: number | null;
}
