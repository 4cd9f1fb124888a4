import { ApplicationFailure } from '@temporalio/common';
import { setHandler } from '@temporalio/workflow';
import { keyText, type SampleKey } from '../domain/ids.js';
import type { RunSummary } from '../domain/runs/run-progress.js';
import {
  includesSample,
  recordEnded,
  recordMended,
  recordReopened,
  recordStarted,
} from '../domain/runs/run-state.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { tuned, tuningProblem } from '../domain/runs/run-config.js';
import {
  mostRetriedAtOnce,
  pauseQuestionSignal,
  pauseRunUpdate,
  resumeQuestionSignal,
  resumeRunUpdate,
  retryQuestionsUpdate,
  runIsEnding,
  cancelQuestionUpdate,
  stopQuestionSignal,
  tuneRunUpdate,
  type Pausing,
  type Retrying,
} from './messages.js';
import { Mutex } from './mutex.js';
import { collect } from './run-questions.js';
import type { RunControl } from './run-control.js';
import { forTwoMinutes, queued } from './scheduling.js';

const { endQuestion, keepTuning, lookUpEnds, reopenQuestions } = queued('2 minutes', forTwoMinutes);

const nameOf = ({ uuid, epoch }: SampleKey): string => `question ${uuid} (epoch ${epoch})`;

/** Registers the updates by which clients steer a run. An invalid one is refused before it enters the history. */
export function acceptSteering(control: RunControl): void {
  const { run, publishing } = control;
  // The signals of two updates must reach a question in the order in which the updates came.
  const pausing = new Mutex();
  // Each writes the manifest that the one before it has written.
  const tuning = new Mutex();

  setHandler<RunSummary, [Pausing], typeof pauseRunUpdate>(
    pauseRunUpdate,
    async ({ now = false }: Pausing = {}): Promise<RunSummary> => {
      await control.untilOpened();
      return pausing.run(async () => {
        control.change({ paused: true });
        await control.untilStarted();
        await Promise.all(
          control.state.inFlight.map((key) => control.signal(key, pauseQuestionSignal, { now })),
        );
        return control.summary;
      });
    },
    { validator: refuseWhenEnding },
  );

  setHandler(
    resumeRunUpdate,
    async (): Promise<RunSummary> => {
      await control.untilOpened();
      return pausing.run(async () => {
        const { paused, inFlight, waiting } = control.state;
        const questions = paused ? inFlight : waiting;
        control.change({ ...recordMended(control.state), paused: false });
        await Promise.all(questions.map((key) => control.signal(key, resumeQuestionSignal)));
        return control.summary;
      });
    },
    { validator: refuseWhenEnding },
  );

  setHandler(
    tuneRunUpdate,
    async (change): Promise<RunSummary> => {
      await control.untilOpened();
      return tuning.run(async () => {
        control.change(tuned(control.state, change));
        await keepTuning({ run, tuning: change });
        return control.summary;
      });
    },
    {
      validator: (change) => {
        refuseWhenEnding();
        refuseFor(tuningProblem(change, Date.now()));
      },
    },
  );

  setHandler<RunSummary, [SampleKey], typeof cancelQuestionUpdate>(
    cancelQuestionUpdate,
    async (key): Promise<RunSummary> => {
      await control.untilOpened();
      await control.untilStarted();
      const isFirst = control.exclude(key);
      if (includesSample(control.state.inFlight, key)) {
        await control.signal(key, stopQuestionSignal, { kind: 'cancelled' });
        return control.summary;
      }
      if (!isFirst) throw refusal(`${nameOf(key)} is skipped already`);
      try {
        const ended = await endUnasked(key);
        control.change(recordEnded(recordStarted(control.state, [key]), key, ended));
      } catch (error) {
        control.include(key);
        throw error;
      }
      return control.summary;
    },
    { validator: refuseWhenEnding },
  );

  setHandler<RunSummary, [Retrying], typeof retryQuestionsUpdate>(
    retryQuestionsUpdate,
    async ({ questions, anew = false }): Promise<RunSummary> => {
      await control.untilOpened();
      await publishing.run(async () => {
        // Nobody else collects them while this history ends, and their ends are about to be removed.
        for (let isLeft = true; isLeft;) {
          const ended = control.state.uncollected.filter((key) => includesSample(questions, key));
          await collect(control, ended);
          isLeft = ended.length > 0;
        }
        const { inFlight } = control.state;
        const keys = questions.filter((key) => !includesSample(inFlight, key));
        const { totals, ranges, unended, askings } = await lookUpEnds({ run, keys });
        const isOpen = new Set(unended.map(keyText));
        const askingOf = new Map(askings.map((key) => [keyText(key), key.asking]));
        const ended = keys
          .filter((key) => !isOpen.has(keyText(key)))
          .map((key) => ({
            uuid: key.uuid,
            epoch: key.epoch,
            asking: askingOf.get(keyText(key)) ?? 1,
          }));
        if (ended.length === 0) throw refusal('none of these questions has ended');
        await reopenQuestions({ run, keys: ended, anew });
        ended.forEach((key) => control.reopen(key, key.asking + 1));
        control.change(recordReopened(control.state, ranges, totals));
      });
      return control.summary;
    },
    {
      validator: ({ questions }) => {
        refuseWhenEnding();
        if (questions.length === 0) throw refusal('there is no question to retry');
        if (questions.length > mostRetriedAtOnce) {
          throw refusal(`${questions.length} questions are more than ${mostRetriedAtOnce} at once`);
        }
      },
    },
  );

  /** Ends a question that is not in flight. */
  async function endUnasked(key: SampleKey): Promise<EndedQuestion> {
    const { totals } = await lookUpEnds({ run, keys: [key] });
    const [outcome] = Object.keys(totals.outcomes);
    if (outcome !== undefined) throw refusal(`${nameOf(key)} has ended already: ${outcome}`);
    const { uuid, epoch } = key;
    const startedAt = new Date().toISOString();
    return endQuestion({ run, uuid, epoch, startedAt, outcome: { kind: 'cancelled' } });
  }

  function refuseWhenEnding(): void {
    if (control.isEnding)
      throw ApplicationFailure.nonRetryable(`run ${run} is ending`, runIsEnding);
  }
}

const refusal = (sentence: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(sentence, 'Refused');

function refuseFor(problem: string | null): void {
  if (problem !== null) throw refusal(problem);
}
