/** Where a figure lies with 95 % confidence. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}
