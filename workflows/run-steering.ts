import { ApplicationFailure } from '@temporalio/common';
import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { SampleKey } from '../domain/ids.js';
import { heartbeatTimeout } from '../domain/worker-timeouts.js';
import type { RunSummary } from '../domain/runs/run-progress.js';
import {
  includesSample,
  recordEnded,
  recordResumed,
  recordReopened,
  recordStarted,
} from '../domain/runs/run-state.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { tuned, tuningProblem } from '../domain/runs/tuning.js';
import type { LiveRun } from './live-run.js';
import {
  pauseQuestionSignal,
  pauseRunUpdate,
  resumeQuestionSignal,
  resumeRunUpdate,
  retryQuestionsUpdate,
  runIsEnding,
  skipQuestionUpdate,
  stopQuestionSignal,
  tuneRunUpdate,
  type Pausing,
  type Retrying,
} from './messages.js';
import { OneAtATime } from './one-at-a-time.js';
import { signalQuestion } from './question-child.js';

const { endQuestion, keepTuning, lookUpEnds, reopenQuestions } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 10 },
});

const nameOf = ({ uuid, epoch }: SampleKey): string => `question ${uuid} (epoch ${epoch})`;

/** Questions that one update may ask to be retried. */
const mostAtOnce = 1000;

/** Lets clients steer a run. What makes no sense is refused before it enters the history. */
export function letSteer(live: LiveRun): void {
  const { run, state, change, isEnding, summary, untilOpened, untilStarted } = live;
  const { bar, unbar, publishing } = live;
  // Their signals to a question must arrive in the order in which the updates came.
  const holding = new OneAtATime();

  setHandler<RunSummary, [Pausing], typeof pauseRunUpdate>(
    pauseRunUpdate,
    async ({ now = false }: Pausing = {}): Promise<RunSummary> => {
      await untilOpened();
      return holding.do(async () => {
        change({ ...state(), paused: true });
        await untilStarted();
        await Promise.all(
          state().inFlight.map((key) => signalQuestion(run, key, pauseQuestionSignal, { now })),
        );
        return summary();
      });
    },
    { validator: refuseWhenEnding },
  );

  setHandler(
    resumeRunUpdate,
    async (): Promise<RunSummary> => {
      await untilOpened();
      return holding.do(async () => {
        const { paused, inFlight, waiting } = state();
        const questions = paused ? inFlight : waiting;
        change({ ...recordResumed(state(), waiting), paused: false });
        await Promise.all(questions.map((key) => signalQuestion(run, key, resumeQuestionSignal)));
        return summary();
      });
    },
    { validator: refuseWhenEnding },
  );

  setHandler(
    tuneRunUpdate,
    async (tuning): Promise<RunSummary> => {
      await untilOpened();
      change(tuned(state(), tuning));
      await keepTuning({ run, tuning });
      return summary();
    },
    {
      validator: (tuning) => {
        refuseWhenEnding();
        refuseFor(tuningProblem(tuning, Date.now()));
      },
    },
  );

  setHandler<RunSummary, [SampleKey], typeof skipQuestionUpdate>(
    skipQuestionUpdate,
    async (key): Promise<RunSummary> => {
      await untilOpened();
      await untilStarted();
      const isFirst = bar(key);
      if (includesSample(state().inFlight, key)) {
        await signalQuestion(run, key, stopQuestionSignal, { kind: 'cancelled' });
        return summary();
      }
      if (!isFirst) throw refusal(`${nameOf(key)} is skipped already`);
      try {
        const ended = await endUnasked(key);
        change(recordEnded(recordStarted(state(), [key]), key, ended));
      } catch (error) {
        unbar(key);
        throw error;
      }
      return summary();
    },
    { validator: refuseWhenEnding },
  );

  setHandler<RunSummary, [Retrying], typeof retryQuestionsUpdate>(
    retryQuestionsUpdate,
    async ({ questions, anew = false }): Promise<RunSummary> => {
      await untilOpened();
      await condition(() => !questions.some((key) => includesSample(state().uncollected, key)));
      await publishing.do(async () => {
        const { inFlight, reopened, uncollected } = state();
        const busy = [...inFlight, ...reopened, ...uncollected];
        const keys = questions.filter((key) => !includesSample(busy, key));
        const { ends } = await lookUpEnds({ run, keys });
        if (ends.length === 0) throw refusal('none of these questions has ended');
        await reopenQuestions({
          run,
          keys: ends.map(({ uuid, epoch }) => ({ uuid, epoch })),
          anew,
        });
        ends.forEach(unbar);
        change(recordReopened(state(), ends));
      });
      return summary();
    },
    {
      validator: ({ questions }) => {
        refuseWhenEnding();
        if (questions.length === 0) throw refusal('there is no question to retry');
        if (questions.length > mostAtOnce) {
          throw refusal(`${questions.length} questions are more than ${mostAtOnce} at once`);
        }
      },
    },
  );

  /** Ends a question that is not in flight. */
  async function endUnasked(key: SampleKey): Promise<EndedQuestion> {
    const { ends } = await lookUpEnds({ run, keys: [key] });
    const [end] = ends;
    if (end) throw refusal(`${nameOf(key)} has ended already: ${end.ended.outcome}`);
    const { uuid, epoch } = key;
    const startedAt = new Date().toISOString();
    return endQuestion({ run, uuid, epoch, startedAt, outcome: { kind: 'cancelled' } });
  }

  function refuseWhenEnding(): void {
    if (isEnding()) throw ApplicationFailure.nonRetryable(`run ${run} is ending`, runIsEnding);
  }
}

const refusal = (sentence: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(sentence, 'Refused');

function refuseFor(problem: string | null): void {
  if (problem !== null) throw refusal(problem);
}
