import { beforeAll, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { scoresFile } from '../../domain/runs/run-manifest.js';
import { scoreSchema } from '../../domain/scoring/score.js';
import { linesOf } from '../support/lines-of.js';
import { sampleKey } from '../support/runs/example-records.js';
import {
  startRunsUnderTest,
  type RunsUnderTest,
  type TestRun,
} from '../support/runs/runs-under-test.js';

let runs: RunsUnderTest;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  return () => runs.stop();
});

const bySql = { eval_func: 'eval_execution_match', eval_kwargs: { gold_sql: 'SELECT 1' } };
const byNumber = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 1 } };

const verdictsOf = ({ folder }: TestRun): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    linesOf(folder, scoresFile).map((line) => {
      const { uuid, verdict } = scoreSchema.parse(line);
      return [uuid, verdict];
    }),
  );

/** What the workflow of a question was started with. */
async function inputOf(run: TestRun, name: string): Promise<string> {
  const [started] = (await run.question(name).fetchHistory()).events ?? [];
  const [input] = started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return Buffer.from(input?.data ?? []).toString('utf8');
}

it('executes the SQL of an answer before it is scored, and nothing for other questions', async () => {
  const run = runs.runOf(['a', 'b'], 2, [], {}, (name) => ({
    evaluator: name === 'a' ? bySql : byNumber,
  }));
  expect(await (await run.start()).result()).toMatchObject({ outcomes: { answered: 2 } });
  expect(verdictsOf(run)).toMatchObject({ a: { score: 1 }, b: { score: 0 } });
  const id = run.manifest().run;
  expect(await runs.runFiles.execution(id, sampleKey('a'))).not.toBeNull();
  expect(await runs.runFiles.execution(id, sampleKey('b'))).toBeNull();
  expect(await inputOf(run, 'a')).toContain('"executes":true');
  expect(await inputOf(run, 'b')).not.toContain('executes');
});

it('leaves an answer unscored whose database cannot be read, and keeps it', async () => {
  const run = runs.runOf(['a'], 1, [], { onFailure: 'end' }, () => ({ evaluator: bySql }));
  const gone = new PortFailure('StoreMissing', 'it is gone');
  runs.failQueries(gone, gone);
  expect(await (await run.start()).result()).toMatchObject({
    outcomes: { answered: 1 },
    scores: { unscored: 1 },
  });
  expect(verdictsOf(run)).toEqual({
    a: { kind: 'unscored', reason: 'not-executed', message: 'it is gone' },
  });
});

it.each(['takeAction', 'executeAnswer'])(
  'lets the statements of %s wait until the slow ones of a hundred others are done',
  async (activity) => {
    // Of two minutes each, the longest that a run allows, in two processes.
    const waitS = (100 * 120) / 2;
    const run = runs.runOf(['a'], 1, [], {}, () => ({ evaluator: bySql }));
    if (activity === 'takeAction') run.query('a');
    // The local activity fails, so that its work goes through the queue.
    runs.failQueries(new PortFailure('StoreUnavailable', 'busy'));
    await (await run.start()).result();
    const { events } = await run.question('a').fetchHistory();
    const queued = (events ?? [])
      .map((event) => event.activityTaskScheduledEventAttributes)
      .filter((scheduled) => scheduled?.activityType?.name === activity);
    expect(queued).toHaveLength(1);
    expect(Number(queued[0]?.startToCloseTimeout?.seconds)).toBeGreaterThan(waitS);
  },
);
