/** What a process had while one statement ran in it. */
interface StatementTime {
  /** Of all its threads, as far as the process has told. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Of one core. A statement that had less was held up by a busy or paused machine. */
const usualFairShare = 0.5;

/** Whether a statement that exceeded its time did so by itself. Otherwise the time says nothing about it. */
export const hadFairTime = (
  { cpuMs, wallMs }: StatementTime,
  fairShare = usualFairShare,
): boolean => cpuMs >= fairShare * wallMs;

/** Deaths of new processes after which a statement is at fault. */
const blamedDeaths = 3;

type AfterDeath = 'ask-again' | 'statement-at-fault' | 'outage';

/**
 * What follows when a process has died of a statement that it was the first to run, or was killed meanwhile.
 * @param deaths - of new processes that ran this statement, the last one included
 * @param othersWork - whether a trivial statement over the same file has since been answered
 */
export function afterProcessDeath(deaths: number, othersWork: boolean): AfterDeath {
  if (!othersWork) return 'outage';
  return deaths >= blamedDeaths ? 'statement-at-fault' : 'ask-again';
}
