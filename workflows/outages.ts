import { condition, setHandler } from '@temporalio/workflow';
import { isHopeless, nextProbes, recordProbing, type Probe } from '../domain/runs/outages.js';
import { recordHealthy, recordResumed, recordWaiting } from '../domain/runs/run-state.js';
import {
  questionRecoveredSignal,
  questionWaitsSignal,
  stopQuestionSignal,
  wakeQuestionSignal,
} from './messages.js';
import { signalQuestion } from './question-signals.js';
import type { RunControl } from './run-control.js';

/** Takes what questions report of what they wait for. One that is itself the cause of its failures is ended. */
export function acceptOutages(control: RunControl): void {
  const { run } = control;
  setHandler(questionWaitsSignal, async (question) => {
    control.change(recordWaiting(control.state, question, Date.now()));
    const { outages, holdAfter } = control.state;
    const { failure, message } = question;
    if (failure === null || !outages.some((each) => isHopeless(each, question, holdAfter))) return;
    await signalQuestion(run, question, stopQuestionSignal, {
      kind: 'infra-error',
      failure,
      message,
    });
  });
  setHandler(questionRecoveredSignal, async ({ uuid, epoch, failure }) => {
    const woken = control.state.waiting.filter((question) => question.failure === failure);
    control.change(recordHealthy(control.state, { uuid, epoch }, failure));
    await Promise.all(woken.map((question) => signalQuestion(run, question, wakeQuestionSignal)));
  });
}

/**
 * While something fails outside of the questions, lets one of those that need it try again from time to time. Ends with the
 * history.
 */
export async function probeOutages(control: RunControl): Promise<void> {
  const probes = (): readonly Probe[] =>
    control.state.paused ? [] : nextProbes(control.state.outages, control.state.waiting);
  const nextAt = (): number => Math.min(...probes().map(({ at }) => at));
  for (;;) {
    const at = nextAt();
    const isMoved = (): boolean => control.isOver || nextAt() !== at;
    if (at === Infinity) await condition(isMoved);
    else await condition(isMoved, Math.max(1, at - Date.now()));
    if (control.isOver) return;
    for (const probe of probes().filter((each) => each.at <= Date.now())) {
      control.change({
        ...recordResumed(control.state, [probe.key]),
        outages: recordProbing(control.state.outages, probe),
      });
      await signalQuestion(control.run, probe.key, wakeQuestionSignal);
    }
  }
}
