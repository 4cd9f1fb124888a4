/** The time of day, as ISO 8601 in UTC. */
export interface ClockPort {
  readonly now: () => string;
}
