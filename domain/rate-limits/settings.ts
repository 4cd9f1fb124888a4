/**
 * The constants of the rate limiter. `npm run bench -- ablation` gives each mechanism a value at which it does nothing, and
 * shows what becomes worse.
 */
export const defaultSettings = {
  /** The share of a measured limit that is used. At 1 the provider's allowance never recovers from a larger call. */
  targetShare: 0.98,
  /** Timers fire late: calls may come so much closer together than the rate says. */
  slackMs: 200,
  /** What the first refusals leave of the rate, which has doubled until then. */
  firstCut: 0.5,
  /** What a refusal leaves of a rate that cannot be measured. */
  cut: 0.6,
  /** The calls left out after a cut: the allowance is used up, and the next larger call would be refused as well. */
  restCalls: 5,
  longestRestMs: 1000,
  /** A limit is measured over at least so long and so many calls: less is noise. */
  measuredMs: 5000,
  measuredCalls: 10,
  /** Where the pace has grown to this multiple of the estimate, the limit was raised: older counts say nothing of it. */
  raisedFactor: 1.5,
  /** A refusal below this share of the highest accepted rate is no sign of a limit. 0 takes every refusal for one. */
  trustAccepted: 1,
  /** How much a guess grows with each second of probing. */
  guessGrowth: 0.05,
  /**
   * A measured pace has doubled after so many seconds of probing, so that a doubled limit is found within a minute or two.
   * The power lets it stay within 2 % of the estimate for the first half of them, as each search costs a refusal or two.
   */
  doublingSeconds: 60,
  doublingPower: 6,
  /** Calls in flight before the first reply, of runs with automatic concurrency. */
  firstInFlight: 4,
  /** So many 429s may come together, and so much of one is forgotten with each call, before they are taken for a limit. */
  spuriousTogether: 2,
  spuriousForgotten: 0.05,
  /** The same at an account that is known for spurious 429s. */
  knownSpuriousTogether: 3,
  knownSpuriousForgotten: 0.1,
  /** An account is known for them after so many single ones, */
  spuriousToKnow: 3,
  /** of which one is forgotten with each so many calls. Workers that probe cost each other a call more rarely. */
  callsASpurious: 160,
  /** The pace does not grow for so long after a server error, */
  serverErrorMs: 5000,
  /** where server errors are more than this share of the calls. Some providers always have a few. */
  usualErrorShare: 0.15,
  /** While every call is refused, one is sent after each pause. A pause is twice the one before. */
  firstPauseMs: 1000,
  longestPauseMs: 8000,
} as const;

export type LimiterSettings = Readonly<Record<keyof typeof defaultSettings, number>>;
