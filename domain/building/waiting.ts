/** What of a gate says for whom it waits. */
export interface Awaited {
  /** Who may decide; everybody if empty. */
  readonly assigned: readonly string[];
  /** Annotators who have decided already. What they have decided is not told. */
  readonly decidedBy: readonly string[];
  readonly adjudicates: boolean;
}

/** Whether a person may decide at a gate, and has not. */
export const isLeftFor = ({ assigned, decidedBy, adjudicates }: Awaited, by: string): boolean =>
  (assigned.length === 0 || assigned.includes(by) || adjudicates) && !decidedBy.includes(by);
