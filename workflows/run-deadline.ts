import { condition } from '@temporalio/workflow';
import type { LiveRun } from './live-run.js';

/** Lets a run end at its deadline, which may be moved meanwhile. */
export async function watchDeadline({ state, change, isOver }: LiveRun): Promise<void> {
  for (;;) {
    const { deadline } = state();
    const isMoved = (): boolean => isOver() || state().deadline !== deadline;
    if (deadline === null) await condition(isMoved);
    else if (!(await condition(isMoved, Math.max(1, deadline - Date.now())))) {
      change({ ...state(), stopping: { kind: 'deadline' } });
      return;
    }
    if (isOver()) return;
  }
}
