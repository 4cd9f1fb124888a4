import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow';
import { eventOf, reasonOf, type RunNotice } from '../domain/runs/run-notice.js';
import type { ToldEvent } from '../domain/runs/run-state.js';
import { scoreMeans } from '../domain/runs/run-totals.js';
import type { RunControl } from './run-control.js';
import { queued } from './scheduling.js';
import { homeHere } from './signals.js';

const { tellWebhook } = queued('1 minute', { maximumAttempts: 3 });

/** What lasts shorter is not told. */
const settledMs = 5_000;

/** Tells the webhook, where there is one, that the run waits or is held. Nobody waits for it. Ends with the history. */
export async function tellStates(control: RunControl): Promise<void> {
  if (control.state.told === undefined) return;
  const isLeft = (told: ToldEvent | null | undefined): boolean =>
    control.isOver || eventOf(control.summary) !== told;
  for (;;) {
    await condition(() => isLeft(control.state.told));
    const event = eventOf(control.summary);
    const isBrief = await condition(() => isLeft(event), settledMs);
    if (control.isOver) return;
    if (isBrief) continue;
    control.change({ told: event });
    if (event !== null) void tell(control, event, reasonOf(control.state, control.summary));
  }
}

/** Tells the webhook, where there is one. */
export async function tell(
  { run, summary: progress, state }: RunControl,
  event: RunNotice['event'],
  reason: string,
): Promise<void> {
  if (state.told === undefined) return;
  const at = new Date().toISOString();
  const score = scoreMeans(state.totals.scores);
  try {
    await tellWebhook({ event, run, home: homeHere(), at, reason, progress, score });
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    // Its workers were lost.
  }
}
