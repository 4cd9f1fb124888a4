import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  log,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { questionWorkflowId, type RunId, type SampleKey } from '../domain/ids.js';
import { runDetails } from '../domain/runs/run-details.js';
import { noteCollected, noteEnded, noteStarted, type RunState } from '../domain/runs/run-state.js';
import { noTotals, type EndedQuestion, type RunTotals } from '../domain/runs/run-totals.js';
import type { Sample } from '../domain/questions/samples.js';
import { answerQuestionWorkflow } from './answer-question.js';
import { progressQuery, questionEndedSignal } from './messages.js';
import { searchAttribute } from './search-attribute.js';

const { openRun, listSamples, collectResults, findEnded, closeRun } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});
const { finishQuestion } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 100 },
});

/** Samples whose keys are held at once, and children started before the history is begun anew. */
const pageSize = 100;
const childrenPerHistory = 400;
/** Silence after which questions in flight are looked after. */
const reconcileAfter = '30 seconds';

export interface RunDatasetInput {
  readonly run: RunId;
  /** Questions in flight. */
  readonly concurrency: number;
  readonly maxTurns: number;
  readonly modelTimeoutMs: number;
  readonly modelAttempts: number;
  /** What questions are found by in the UI. */
  readonly model: string;
  readonly method: string;
  readonly store: string;
  /** Carried from the run's earlier history; absent at its start. */
  readonly state?: RunState;
}

/** All questions of a run through a sliding window of children, each reporting when it ends. */
export async function runDatasetWorkflow(input: RunDatasetInput): Promise<RunTotals> {
  const { run, concurrency } = input;
  let state: RunState = input.state ?? {
    samples: 0,
    offset: 0,
    inFlight: [],
    uncollected: [],
    totals: noTotals,
  };
  const change = (next: RunState): void => {
    state = next;
    setCurrentDetails(runDetails(state));
  };
  setHandler(questionEndedSignal, ({ uuid, epoch, ended }) =>
    change(noteEnded(state, { uuid, epoch }, ended)),
  );
  setHandler(progressQuery, () => ({
    samples: state.samples,
    totals: state.totals,
    inFlight: state.inFlight,
  }));

  let listed: readonly Sample[] = [];
  let started = 0;
  let over = false;
  /** Workflow ids of questions whose start is not acknowledged: not open yet, and not lost either. */
  const starting = new Set<string>();

  if (!input.state) {
    const opened = await openRun({ run });
    change({ ...state, ...opened });
  }
  await Promise.all([startAll(), collectAll(), lookAfterSilentOnes()]);
  if (state.offset < state.samples) {
    await condition(allHandlersFinished);
    return continueAsNew<typeof runDatasetWorkflow>({ ...input, state });
  }
  await closeRun({ run, totals: state.totals });
  return state.totals;

  /** Keeps the window full until every sample has ended, or this history has had its share of children. */
  async function startAll(): Promise<void> {
    for (;;) {
      const [...next] = listed.slice(0, concurrency - state.inFlight.length);
      if (next.length > 0) {
        listed = listed.slice(next.length);
        await Promise.all(next.map(start));
      } else if (listed.length > 0) {
        await condition(() => state.inFlight.length < concurrency);
      } else if (state.offset >= state.samples) {
        await condition(() => state.inFlight.length === 0);
        break;
      } else if (started >= childrenPerHistory) {
        break;
      } else {
        const { offset } = state;
        ({ samples: listed } = await listSamples({ run, offset, limit: pageSize }));
        change({ ...state, offset: offset + pageSize });
      }
    }
    over = true;
  }

  async function start(sample: Sample): Promise<void> {
    const { uuid, epoch } = sample;
    const workflowId = questionWorkflowId(run, sample);
    started += 1;
    starting.add(workflowId);
    // Noted before it is started: its report may arrive before the start is acknowledged.
    change(noteStarted(state, [sample]));
    try {
      const child = await startChild(answerQuestionWorkflow, {
        workflowId,
        // An open one is left alone; one that closed without an end goes on from its stored turns.
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: sample.question,
        memo: { tags: sample.tags },
        typedSearchAttributes: [
          searchAttribute('run', run),
          searchAttribute('state', 'running'),
          searchAttribute('model', input.model),
          searchAttribute('method', input.method),
          searchAttribute('store', input.store),
        ],
        args: [
          {
            run,
            uuid,
            epoch,
            question: sample.question,
            maxTurns: input.maxTurns,
            modelTimeoutMs: input.modelTimeoutMs,
            modelAttempts: input.modelAttempts,
          },
        ],
      });
      void watch(sample, child.result());
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      log.info('the question is open already: it will report', { uuid, epoch });
    } finally {
      starting.delete(workflowId);
    }
  }

  /** A child that fails or is terminated cannot report: its parent learns of it here, or in the reconciliation. */
  async function watch(key: SampleKey, result: Promise<EndedQuestion>): Promise<void> {
    try {
      const ended = await result;
      change(noteEnded(state, key, ended));
    } catch (error) {
      if (isCancellation(error)) return;
      await endLost(key);
    }
  }

  async function collectAll(): Promise<void> {
    for (;;) {
      await condition(() => state.uncollected.length > 0 || over);
      const keys = state.uncollected.slice(0, pageSize);
      if (keys.length === 0) return;
      await collectResults({ run, keys });
      change(noteCollected(state, keys));
    }
  }

  async function lookAfterSilentOnes(): Promise<void> {
    for (;;) {
      const before = state.totals;
      if (await condition(() => over, reconcileAfter)) return;
      if (state.totals !== before || state.inFlight.length === 0) continue;
      const keys = state.inFlight.filter((key) => !starting.has(questionWorkflowId(run, key)));
      const { found } = await findEnded({ run, keys });
      for (const { uuid, epoch, state: question } of found) {
        const key = { uuid, epoch };
        if (question.kind === 'ended') change(noteEnded(state, key, question.ended));
        if (question.kind === 'lost') await endLost(key);
      }
    }
  }

  async function endLost(key: SampleKey): Promise<void> {
    const ended = await finishQuestion({
      run,
      ...key,
      startedAt: new Date().toISOString(),
      outcome: {
        kind: 'infra-error',
        failure: 'Unknown',
        message: 'its workflow was closed before it had ended',
      },
    });
    change(noteEnded(state, key, ended));
  }
}
