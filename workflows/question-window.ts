import { condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Sample } from '../domain/runs/dataset.js';
import type { Outcome } from '../domain/agent/question-result.js';
import { includesSample, recordStarted } from '../domain/runs/run-state.js';
import { joinedRanges, type SampleRange } from '../domain/runs/sample-ranges.js';
import { questionSettings, type QuestionSettings } from '../domain/runs/question-ref.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import { localActivities, localFirst } from './local-first.js';
import { resumeQuestionSignal, stopQuestionSignal } from './messages.js';
import { cancelQuestion, signalQuestion } from './question-signals.js';
import type { RunControl } from './run-control.js';

const { listSamples, startQuestions, endUnstarted } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20_000 },
});

/** Samples that one activity lists. */
const pageSize = 100;

/** Questions that one activity starts, so that the first ones begin while the next are started. */
const startedAtOnce = 10;

/**
 * The first questions of a run start so far apart, and all within so long if the machine keeps up. Started at once, they would
 * send each of their calls in one burst, and so wait for the processor together.
 */
const firstApartMs = 20;
const firstWithinMs = 500;

/** Of more, the start is left to the queue: during a local activity the run answers no query and takes no signal. */
const startedLocally = 3;

/**
 * Keeps the window of questions in flight full until every sample has ended, the history is long enough, or the run is
 * to end. Then no question of this history is in flight, unless the next history takes it over.
 */
export async function runQuestions(control: RunControl, input: QuestionSettings): Promise<void> {
  const { run } = control;
  const common = { settings: questionSettings(input), taskQueue: workflowInfo().taskQueue };
  /** Until the window is full for the first time. */
  let isFilling = true;
  const isMore = (): boolean => control.state.reopened.length > 0 && !control.isStopping;
  do {
    while (control.state.offset < control.state.samples && !control.isStopping) await startPage();
    if (isMore()) await startReopened();
    await condition(
      () =>
        control.state.inFlight.length === 0 ||
        control.state.reopened.length > 0 ||
        control.isStopping,
    );
  } while (isMore());
  await control.untilStarted();
  if (control.isCancelled) {
    await Promise.all(control.state.inFlight.map((key) => cancelQuestion(run, key)));
    await untilNoneInFlight();
  } else if (control.state.stopping !== null) {
    await stopAll(control.state.stopping);
  }
  control.isOver = true;

  async function startPage(): Promise<void> {
    const { offset, samples } = control.state;
    control.change({ offset: await startFrom({ start: offset, end: samples }) });
  }

  async function startReopened(): Promise<void> {
    const [range, ...others] = control.state.reopened;
    if (range === undefined) return;
    // Taken out before it is listed: what is reopened meanwhile is put in, and listed once more.
    control.change({ reopened: others });
    const left = { start: await startFrom(range), end: range.end };
    control.change({ reopened: joinedRanges(control.state.reopened, [left]) });
  }

  /** Starts a page of samples, and resolves to the index from which the next one goes on. */
  async function startFrom(range: SampleRange): Promise<number> {
    // Those of a page that an earlier history began are listed again, and some are in flight.
    const { inFlight } = control.state;
    const { samples, next } = await listSamples({ run, range, limit: pageSize });
    const rest = samples.filter((sample) => !includesSample(inFlight, sample));
    return (await startEach(rest)) ? next : range.start;
  }

  /** False where the history or the run ends before all of the samples are started. */
  async function startEach(samples: readonly Sample[]): Promise<boolean> {
    for (let rest = samples; rest.length > 0;) {
      await condition(() => control.room > 0 || control.isStopping);
      if (control.isStopping) return false;
      isFilling &&= control.room > startedAtOnce;
      const next = rest.slice(0, Math.min(control.room, startedAtOnce));
      rest = rest.slice(next.length);
      await start(next.filter((sample) => !control.isExcluded(sample)));
    }
    return true;
  }

  async function start(samples: readonly Sample[]): Promise<void> {
    if (samples.length === 0) return;
    // Before the start: the report of a question may arrive before the start is acknowledged.
    control.change(recordStarted(control.state, samples));
    const apartMs = isFilling ? Math.min(firstApartMs, firstWithinMs / control.concurrency) : 0;
    const toStart = {
      ...common,
      samples: samples.map((sample) => control.current(sample)),
      ...(apartMs > 0 && { apartMs }),
    };
    await control.starting(samples, async () => {
      const { open } = await (samples.length > startedLocally
        ? startQuestions(toStart)
        : localFirst(
            () => localActivities.startQuestions(toStart),
            () => startQuestions(toStart),
          ));
      // An earlier run may have told them to wait, or may have been told that they do.
      await Promise.all(open.map((key) => signalQuestion(run, key, resumeQuestionSignal)));
    });
  }

  /** Ends the questions in flight, and those that were never started. */
  async function stopAll(outcome: Outcome): Promise<void> {
    await Promise.all(
      control.state.inFlight.map((key) => signalQuestion(run, key, stopQuestionSignal, outcome)),
    );
    await untilNoneInFlight();
    await endUnstarted({ run, outcome });
  }

  function untilNoneInFlight(): Promise<void> {
    return condition(() => control.state.inFlight.length === 0);
  }
}
