/** A part of a log of Inspect AI, in the words of its schema; what is undefined is left out of it. */
export type InspectObject = Readonly<Record<string, unknown>>;

/** Seconds from one time to another, both in ISO 8601. */
export const secondsBetween = (from: string, to: string): number =>
  Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);

/** When an event of a question was, in ISO 8601, as Inspect says it. */
export const eventAt = (
  { startedAt }: { readonly startedAt: string },
  at: string,
): InspectObject => ({ timestamp: at, working_start: secondsBetween(startedAt, at) });
