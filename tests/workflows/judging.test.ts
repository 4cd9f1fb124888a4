import { beforeAll, describe, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { JudgingConfig } from '../../domain/scoring/judging/judging-config.js';
import { scoreSchema, type Score } from '../../domain/scoring/score.js';
import { scoresFile } from '../../domain/runs/run-manifest.js';
import {
  pauseRunUpdate,
  progressQuery,
  resumeRunUpdate,
  tuneRunUpdate,
} from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import { linesOf } from '../support/lines-of.js';
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

const judges = (...names: readonly string[]): JudgingConfig => ({
  models: names.map((name) => ({ ...exampleManifest().config.model, name, maxTokens: 20_000 })),
  combination: 'majority',
  tries: 2,
});

const byJudge = {
  evaluator: {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { question: 'What?', reference_answer: 'that' },
  },
};

const judgedRun = (names: readonly string[], by: readonly string[], config = {}): TestRun =>
  runs.runOf(names, 2, [], { judging: judges(...by), ...config }, () => byJudge);

const scoresOf = ({ folder }: TestRun): readonly Score[] =>
  linesOf(folder, scoresFile).map((line) => scoreSchema.parse(line));

const verdictsOf = (run: TestRun): readonly string[] =>
  scoresOf(run)
    .map(({ uuid, verdict }) =>
      verdict.kind === 'scored'
        ? `${uuid} ${verdict.score}`
        : `${uuid} ${verdict.reason}: ${verdict.message ?? ''}`,
    )
    .toSorted();

describe('a run with judges', () => {
  it('has each answer judged once by each of them, and counts what that took beside the questions’ own', async () => {
    const run = judgedRun(['a', 'b'], ['one', 'two', 'three']);
    const totals = await (await run.start()).result();
    expect(totals).toMatchObject({
      outcomes: { answered: 2 },
      usage: { calls: 2 },
      judged: { usage: { calls: 6 } },
      scores: { total: 2, scored: 2, unscored: 0 },
    });
    expect(verdictsOf(run)).toEqual(['a 1', 'b 1']);
    const [score] = scoresOf(run);
    const found = { model: 'steered-model', calls: 1, verdict: { score: 1 } };
    expect(score?.judging?.judges).toMatchObject([found, found, found]);
    expect(run.manifest().totals?.judged.usage.calls).toBe(6);
  });

  it('asks no judge where a comparison decides', async () => {
    const evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 1 } };
    const run = runs.runOf(['a'], 1, [], { judging: judges('one') }, () => ({ evaluator }));
    expect(await (await run.start()).result()).toMatchObject({ judged: { usage: { calls: 0 } } });
    expect(verdictsOf(run)).toEqual(['a 0']);
  });

  it('leaves an answer unscored whose judge cannot be asked, and moves neither its outcome nor the others', async () => {
    const run = judgedRun(['a', 'b'], ['one'], { onFailure: 'end' });
    const down = { reason: 'outage', outage: 'ModelRefusedKey', retryAfterMs: 3_600_000 } as const;
    run.failJudge('a', 'one', new PortFailure('ModelDeferred', 'HTTP 401', down));
    expect(await (await run.start()).result()).toMatchObject({
      outcomes: { answered: 2 },
      scores: { total: 1, scored: 1, unscored: 1 },
    });
    expect(verdictsOf(run)).toEqual(['a judge-unavailable: HTTP 401', 'b 1']);
  });

  it('lets an answer wait for its judge through an outage', async () => {
    const run = judgedRun(['a', 'b'], ['one']);
    const down = { reason: 'outage', outage: 'ModelRefusedKey', retryAfterMs: 3_600_000 } as const;
    run.failJudge('a', 'one', new PortFailure('ModelDeferred', 'HTTP 401', down));
    const handle = await run.start();
    await eventually(async () => (await handle.query(progressQuery)).waiting[0]);
    await handle.executeUpdate(resumeRunUpdate);
    await handle.result();
    expect(verdictsOf(run).toSorted()).toEqual(['a 1', 'b 1']);
  });

  it('asks a judge again after a failure that may pass, and pays for one reply', async () => {
    const run = judgedRun(['a'], ['one']);
    run.failJudge('a', 'one', new PortFailure('ModelUnavailable', 'HTTP 503'));
    const totals = await (await run.start()).result();
    expect(totals.judged.usage).toMatchObject({ calls: 1, retries: 1 });
    expect(verdictsOf(run)).toEqual(['a 1']);
  });

  it('asks no judge again whose replies were stored when the question’s end could not be', async () => {
    const run = judgedRun(['a'], ['one']);
    runs.runFiles.refuseEnds(3);
    const totals = await (await run.start()).result();
    expect(totals.judged.usage.calls).toBe(1);
  });

  it('is paused between an answer and its judgement as between two turns', async () => {
    const run = judgedRun(['a'], ['one', 'two', 'three']);
    run.holdJudge('a', 'one');
    const handle = await run.start();
    await run.untilJudged('a', 'one');
    await handle.executeUpdate(pauseRunUpdate, { args: [{ now: true }] });
    run.releaseJudge('a', 'one');
    await eventually(async () => {
      const { pendingActivities } = (await run.question('a').describe()).raw;
      return pendingActivities?.length === 0 ? true : null;
    });
    await handle.executeUpdate(resumeRunUpdate);
    await handle.result();
    expect(verdictsOf(run)).toEqual(['a 1']);
  });

  it('waits for the budget with a judge’s call as with any other', async () => {
    const run = judgedRun(['a'], ['one'], { budget: { usd: null, tokens: 20_000 } });
    const handle = await run.start();
    const parked = await eventually(async () => {
      const progress = await handle.query(progressQuery);
      return progress.summary.parked ? progress : null;
    });
    expect(parked.summary).toMatchObject({ heldBy: 'budget', ended: 0 });
    await handle.executeUpdate(tuneRunUpdate, { args: [{ budgetTokens: null }] });
    expect(await handle.result()).toMatchObject({ judged: { usage: { calls: 1 } } });
  });

  it('keeps the answer of a question that is cancelled before its judge', async () => {
    const run = judgedRun(['a', 'b'], ['one']);
    run.holdJudge('a', 'one');
    const handle = await run.start();
    await run.untilJudged('a', 'one');
    await run.question('a').cancel();
    await handle.result();
    expect(run.outcomes().toSorted()).toEqual(['a answered', 'b answered']);
    expect(verdictsOf(run)).toEqual(['a judge-unavailable: it was not asked', 'b 1']);
  });
});
