import { condition, workflowInfo } from '@temporalio/workflow';
import type { Outcome } from '../domain/agent/question-result.js';
import type { SampleKey } from '../domain/ids.js';
import type { Sample } from '../domain/runs/dataset.js';
import {
  questionSettings,
  type QuestionRef,
  type QuestionSettings,
} from '../domain/runs/question-ref.js';
import {
  includesSample,
  isParked,
  recordCollected,
  recordStarted,
} from '../domain/runs/run-state.js';
import { joinedRanges, type SampleRange } from '../domain/runs/sample-ranges.js';
import { resumeQuestionSignal, stopQuestionSignal } from './messages.js';
import type { RunControl } from './run-control.js';
import { forAWeek, queued } from './scheduling.js';

const queue = queued('5 minutes', forAWeek);

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
    await Promise.all(control.state.inFlight.map((key) => control.cancel(key)));
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
    const { samples, next } = await queue.listSamples({ run, range, limit: pageSize });
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
      // No local activity: where it outlives its workflow task on a busy machine, signals may be replayed in another order.
      const { open } = await queue.startQuestions(toStart);
      // An earlier run may have told them to wait, or may have been told that they do.
      await Promise.all(open.map((key) => control.signal(key, resumeQuestionSignal)));
    });
  }

  /** Ends the questions in flight, and those that were never started. */
  async function stopAll(outcome: Outcome): Promise<void> {
    await Promise.all(
      control.state.inFlight.map((key) => control.signal(key, stopQuestionSignal, outcome)),
    );
    await untilNoneInFlight();
    await queue.endUnstarted({ run, outcome });
  }

  function untilNoneInFlight(): Promise<void> {
    return condition(() => control.state.inFlight.length === 0);
  }
}

/** Ends that one activity publishes. */
const publishedAtOnce = 100;

/** Ends that come closer together are published at once: each activity costs the run's history six events. */
const publishEveryMs = 1_000;

/** How often questions in flight are checked for an end that was not reported; less and less often while nothing happens. */
const checkEveryMs = 30_000;
const quietCheckMs = 600_000;

/** Publishes the results of questions that have ended, in pages. Ends with the history. */
export async function collectEnds(control: RunControl): Promise<void> {
  const { publishing } = control;
  for (let publishAt = 0; ; publishAt = Date.now() + publishEveryMs) {
    await condition(() => control.state.uncollected.length > 0 || control.isOver);
    const early = publishAt - Date.now();
    if (early > 0) {
      await condition(
        () => control.state.uncollected.length >= publishedAtOnce || control.isOver,
        early,
      );
    }
    const { inFlight, uncollected } = control.state;
    const isLeftToTheNextHistory = inFlight.length > 0;
    if (control.isOver && (isLeftToTheNextHistory || uncollected.length === 0)) return;
    await publishing.run(() =>
      collect(control, control.state.uncollected.slice(0, publishedAtOnce)),
    );
  }
}

/** Publishes the results of these questions, while nobody else publishes. */
export async function collect(control: RunControl, keys: readonly SampleKey[]): Promise<void> {
  if (keys.length === 0) return;
  await queue.collectResults({ run: control.run, keys });
  control.change(recordCollected(control.state, keys));
}

/**
 * Finds the ends of questions that could not report them, and starts those again that were closed without one: a lost question
 * must not stall a run. Ends with the history.
 */
export async function recoverEnds(control: RunControl): Promise<void> {
  for (let pauseMs = checkEveryMs; ;) {
    await condition(() => control.isOver || control.isEnding || !isParked(control.state));
    const before = control.state.inFlight;
    if (await condition(() => control.isOver, pauseMs)) return;
    const isQuiet = before === control.state.inFlight;
    pauseMs = isQuiet ? Math.min(2 * pauseMs, quietCheckMs) : checkEveryMs;
    await findEnds(control, before);
  }
}

/** Notes the ends of those questions of `keys` that are in flight and closed, and starts the lost ones again. */
async function findEnds(control: RunControl, keys: readonly SampleKey[]): Promise<void> {
  const { run, publishing } = control;
  const suspects = keys.filter((key) => isWaitedFor(control, key));
  if (suspects.length === 0) return;
  const { found } = await queue.findEnded({ run, keys: suspects });
  for (const { state, ...asked } of found) {
    if (state.kind === 'ended') control.recordReport({ ...asked, ended: state.ended });
    // No question is asked again meanwhile: this asking would be started instead of the next one.
    else await publishing.run(() => goOn(control, { run, ...asked }));
  }
}

type AskedRef = QuestionRef & { readonly asking: number };

const isWaitedFor = (control: RunControl, key: SampleKey): boolean =>
  includesSample(control.state.inFlight, key) && !control.isStarting(key);

async function goOn(control: RunControl, ref: AskedRef): Promise<void> {
  if (!isWaitedFor(control, ref) || !control.isAsking(ref, ref.asking)) return;
  const { stopping } = control.state;
  if (stopping !== null || control.isCancelled) {
    return endLost(control, ref, stopping ?? { kind: 'cancelled' });
  }
  const { hindrance: message } = await queue.restartQuestion(ref);
  if (message === null) return;
  await endLost(control, ref, { kind: 'infra-error', failure: 'Unknown', message });
}

async function endLost(control: RunControl, ref: AskedRef, outcome: Outcome): Promise<void> {
  const ended = await queue.endQuestion({ ...ref, startedAt: new Date().toISOString(), outcome });
  control.recordReport({ ...ref, ended });
}
