/** The constants of the rate limiter. Decision 9 says what becomes worse without each mechanism. */
export const defaultSettings = {
  /** The used share of a measured limit. At 1 the provider's allowance would never recover after a large call. */
  targetShare: 0.98,
  /** The burst tolerance: a call may be sent this much early, since timers fire late. */
  slackMs: 200,
  /** The factor of the first cut. The rate has doubled with each round trip until then. */
  firstCut: 0.5,
  /** The factor of a cut to a guess. */
  cut: 0.6,
  /** The pause after a cut, in calls: the allowance is used up, and the next large call would be refused. */
  restCalls: 5,
  longestRestMs: 1000,
  /** A limit is measured over at least this time and this number of calls, as less would be noise. */
  measuredMs: 5000,
  measuredCalls: 10,
  /** A pace that has grown to this multiple of the estimate shows that the limit was raised: older counts are ignored. */
  raisedFactor: 1.5,
  /** A refusal below this share of the accepted rate is not evidence of a limit. At 0 every refusal is. */
  trustAccepted: 1,
  /** The growth of a guess in a second of probing. */
  guessGrowth: 0.05,
  /**
   * A measured pace grows by 1 + (seconds of probing / doublingSeconds) ** doublingPower. It doubles within a minute, so that
   * a raised limit is found soon. It stays within 2 % of the estimate for half a minute, as each search ends with a refusal
   * or two.
   */
  doublingSeconds: 60,
  doublingPower: 6,
  /** Calls in flight before the first reply, for runs with automatic concurrency. */
  firstInFlight: 4,
  /** More 429s than this in a row come from a limit. Each call takes `spuriousForgotten` off the count. */
  spuriousTogether: 2,
  spuriousForgotten: 0.05,
  /** The same for an account that is known for spurious 429s. */
  knownSpuriousTogether: 3,
  knownSpuriousForgotten: 0.1,
  /** An account is known for spurious 429s after this number of isolated ones. */
  spuriousToKnow: 3,
  /** One of them is forgotten after this number of calls: more than lie between the refusals of workers that probe. */
  callsASpurious: 160,
  /** How long the pace does not grow after a server error, if there are more of them than `usualErrorShare`. */
  serverErrorMs: 5000,
  /** The share of calls that fail with server errors at an endpoint in normal operation. */
  usualErrorShare: 0.15,
  /** While every call is refused, one call is sent after each pause. Each pause is twice as long as the one before. */
  firstPauseMs: 1000,
  longestPauseMs: 8000,
} as const;

export type LimiterSettings = Readonly<Record<keyof typeof defaultSettings, number>>;
