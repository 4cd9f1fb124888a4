/** Turns texts into dense vectors to be compared by cosine. */
export interface EmbedderPort {
  /** `KIND/MODEL`, as a store's manifest names it: vectors of equal names are comparable. */
  readonly name: string;
  /** Where its texts are sent to; null where they are sent nowhere. */
  readonly endpoint: string | null;
  /** The collection its vectors go to. */
  readonly collection: string;
  /**
   * One vector a text, in order, all of one length and none of them zero.
   * Throws PortFailure; tried once, the caller's retry policy decides what comes next.
   */
  readonly embed: (
    texts: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly (readonly number[])[]>;
}
