import { usageOf } from '../../../domain/agent/turn-record.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { noDatabases } from '../../support/fakes/no-databases.js';
import {
  createCloseRun,
  createCollectResults,
  createEndUnstarted,
} from '../../../activities/runs/close-run.js';
import { createFindEnded } from '../../../activities/runs/find-ended.js';
import { createListSamples } from '../../../activities/runs/list-samples.js';
import { createCountSpent, createOpenRun } from '../../../activities/runs/open-run.js';
import { createStartQuestions } from '../../../activities/runs/start-questions.js';
import { createLookUpEnds } from '../../../activities/runs/stored-ends.js';
import type { SampleKey } from '../../../domain/ids.js';
import { resultsFile, scoresFile, trajectoryFile } from '../../../domain/runs/run-manifest.js';
import { heartbeatIntervalMs } from '../../../domain/worker-timeouts.js';
import { FakeQuestions } from '../../support/fakes/fake-questions.js';
import { linesOf } from '../../support/lines-of.js';
import { runActivity } from '../../support/run-activity.js';
import {
  exampleEnd,
  exampleQuestionSettings,
  exampleReply,
  sampleKey,
} from '../../support/runs/example-records.js';
import { runInFolder, type RunInFolder } from '../../support/runs/run-in-folder.js';

const questions = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ uuid: `q${index + 1}`, question: 'Why?' }));

/** A run of `count` questions, twice over, where those of `ended` have ended. */
async function runWith(count: number, ended: readonly SampleKey[]): Promise<RunInFolder> {
  const run = runInFolder(questions(count), (manifest) => ({
    ...manifest,
    config: { ...manifest.config, epochs: 2 },
  }));
  for (const key of ended) {
    await run.runFiles.saveEnd(run.manifest.run, key, exampleEnd(key), []);
  }
  return run;
}

const published = ({ folder }: RunInFolder): readonly unknown[] =>
  [resultsFile, scoresFile].map((file) =>
    linesOf(folder, file).map((line) => {
      const { uuid, epoch } = line as SampleKey;
      return `${uuid} ${epoch}`;
    }),
  );

describe('openRun', () => {
  it('counts and publishes what ended while nobody was there to collect it', async () => {
    const run = await runWith(2, [sampleKey('q1'), sampleKey('q2', 2)]);
    const openRun = createOpenRun(run);
    for (const attempt of ['first', 'second']) {
      expect(await runActivity(openRun, run.manifest), attempt).toMatchObject({
        samples: 4,
        totals: { outcomes: { answered: 2 } },
      });
      expect(published(run), attempt).toEqual([
        ['q1 1', 'q2 2'],
        ['q1 1', 'q2 2'],
      ]);
    }
  });

  it('opens no more files at once than it reads', async () => {
    const run = await runWith(500, []);
    let open = 0;
    let most = 0;
    const runFiles: typeof run.runFiles = {
      ...run.runFiles,
      begun: () => Promise.resolve({ size: 1000, has: () => true }),
      end: async (...key) => {
        most = Math.max(most, ++open);
        const end = await run.runFiles.end(...key);
        open -= 1;
        return end;
      },
    };
    expect(await runActivity(createOpenRun({ runFiles }), run.manifest)).toMatchObject({
      samples: 1000,
    });
    expect(most).toBe(100);
  });

  it('looks only at questions that have begun', async () => {
    const run = await runWith(50, [sampleKey('q7')]);
    const asked: string[] = [];
    const end: typeof run.runFiles.end = (name, key) => {
      asked.push(`${key.uuid} ${key.epoch}`);
      return run.runFiles.end(name, key);
    };
    const runFiles = { ...run.runFiles, end };
    expect(await runActivity(createOpenRun({ runFiles }), run.manifest)).toMatchObject({
      samples: 100,
      totals: { outcomes: { answered: 1 } },
    });
    expect(asked).toEqual(['q7 1']);
  });

  it('goes on where the attempt before was killed', async () => {
    const ended = ['q7', 'q120', 'q121'].map((uuid) => sampleKey(uuid));
    const run = await runWith(150, ended);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const details: unknown[] = [];
    const slow: typeof run.runFiles.end = (name, key) => {
      if (key.uuid === 'q120') vi.advanceTimersByTime(heartbeatIntervalMs);
      return run.runFiles.end(name, key);
    };
    const openRun = createOpenRun({ runFiles: { ...run.runFiles, end: slow } });
    const whole = await runActivity(openRun, run.manifest, {
      onHeartbeat: (each) => details.push(each),
    });
    expect(whole.totals.outcomes).toEqual({ answered: 3 });
    const asked: string[] = [];
    const end: typeof run.runFiles.end = (name, key) => {
      asked.push(key.uuid);
      return run.runFiles.end(name, key);
    };
    const heartbeatDetails: unknown = JSON.parse(JSON.stringify(details[0]));
    const again = createOpenRun({ runFiles: { ...run.runFiles, end } });
    expect(await runActivity(again, run.manifest, { heartbeatDetails })).toEqual(whole);
    expect(asked).toEqual(['q120', 'q121']);
  });
});

describe('listSamples', () => {
  it.each([
    [0, 6, 3, ['q1 1', 'q3 1'], 3],
    [3, 6, 3, ['q1 2', 'q2 2', 'q3 2'], 6],
    [5, 6, 3, ['q3 2'], 6],
    [1, 5, 1, ['q3 1'], 3],
    [1, 2, 3, [], 2],
    [6, 6, 3, [], 6],
  ])(
    'lists from %i to %i, of %i, those that have not ended: %j',
    async (start, end, limit, names, next) => {
      const run = await runWith(3, [sampleKey('q2')]);
      const listed = await runActivity(createListSamples(run), {
        run: run.manifest.run,
        range: { start, end },
        limit,
      });
      expect(listed.samples.map(({ uuid, epoch }) => `${uuid} ${epoch}`)).toEqual(names);
      expect(listed.next).toBe(next);
    },
  );
});

describe('lookUpEnds', () => {
  it('finds the ends with their places in the order of the run', async () => {
    const run = await runWith(3, [sampleKey('q2'), sampleKey('q1', 2)]);
    const found = await runActivity(createLookUpEnds(run), {
      run: run.manifest.run,
      keys: [sampleKey('q1', 2), sampleKey('q3'), sampleKey('q2')],
    });
    expect(found).toMatchObject({
      ranges: [
        { start: 1, end: 2 },
        { start: 3, end: 4 },
      ],
      totals: { outcomes: { answered: 2 } },
      unended: [{ uuid: 'q3', epoch: 1 }],
      askings: [],
    });
  });

  it('tells the askings of those that were asked again', async () => {
    const run = await runWith(3, [sampleKey('q1'), sampleKey('q2')]);
    const { runFiles, manifest } = run;
    await runFiles.reopen(manifest.run, [sampleKey('q2')], false);
    await runFiles.saveEnd(manifest.run, sampleKey('q2'), exampleEnd(sampleKey('q2')), []);
    const keys = [sampleKey('q1'), sampleKey('q2'), sampleKey('q3')];
    const found = await runActivity(createLookUpEnds(run), { run: manifest.run, keys });
    expect(found).toMatchObject({
      totals: { outcomes: { answered: 2 } },
      unended: [{ uuid: 'q3', epoch: 1 }],
      askings: [{ uuid: 'q2', epoch: 1, asking: 2 }],
    });
  });
});

describe('collectResults', () => {
  it('may be repeated, whole or in part', async () => {
    const keys = [sampleKey('q1'), sampleKey('q2')];
    const run = await runWith(2, keys);
    const collectResults = createCollectResults(run);
    for (const some of [keys.slice(0, 1), keys, keys]) {
      await runActivity(collectResults, { run: run.manifest.run, keys: some });
    }
    expect(published(run)).toEqual([
      ['q1 1', 'q2 1'],
      ['q1 1', 'q2 1'],
    ]);
  });

  it('publishes nothing of a batch with a question that has not ended', async () => {
    const run = await runWith(2, [sampleKey('q1')]);
    const keys = [sampleKey('q1'), sampleKey('q2')];
    await expect(
      runActivity(createCollectResults(run), { run: run.manifest.run, keys }),
    ).rejects.toMatchObject({
      type: 'InvalidRun',
      nonRetryable: true,
      message: 'question q2 has not ended in run a-run',
    });
    expect(published(run)).toEqual([[], []]);
  });
});

describe('startQuestions', () => {
  it('starts all of them but those that are open already, and says which these are', async () => {
    const questions = new FakeQuestions('b 1');
    const { open } = await runActivity(createStartQuestions({ questions }), {
      taskQueue: 'runs',
      settings: exampleQuestionSettings,
      samples: ['a', 'b', 'c'].map((uuid) => ({ ...sampleKey(uuid), question: 'Why?', tags: [] })),
    });
    expect(open).toEqual([sampleKey('b')]);
    expect(questions.started).toEqual(['a 1', 'c 1']);
  });

  it('starts them as far apart as it is told', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const questions = new FakeQuestions();
      const started = runActivity(createStartQuestions({ questions }), {
        taskQueue: 'runs',
        settings: exampleQuestionSettings,
        samples: ['a', 'b', 'c'].map((uuid) => ({ ...sampleKey(uuid), question: '', tags: [] })),
        apartMs: 20,
      });
      await vi.advanceTimersByTimeAsync(20);
      expect(questions.started).toEqual(['a 1', 'b 1']);
      await vi.advanceTimersByTimeAsync(20);
      await started;
      expect(questions.started).toEqual(['a 1', 'b 1', 'c 1']);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('findEnded', () => {
  const keys = ['reported', 'writing', 'open', 'fresh', 'gone'].map((uuid) => sampleKey(uuid));

  it('tells ended ones from lost ones and leaves open ones alone', async () => {
    const run = runInFolder(keys.map(({ uuid }) => ({ uuid, question: 'Why?' })));
    const { runFiles, manifest } = run;
    for (const key of keys.slice(0, 2)) {
      await runFiles.saveEnd(manifest.run, key, exampleEnd(key), []);
    }
    const questions = new FakeQuestions('writing 1', 'open 1', 'fresh 1');
    questions.unlisted.push('writing 1', 'fresh 1');
    const findEnded = createFindEnded({ runFiles, questions });
    const { found } = await runActivity(findEnded, { run: manifest.run, keys });
    expect(found).toMatchObject([
      { uuid: 'reported', epoch: 1, state: { kind: 'ended', ended: { outcome: 'answered' } } },
      { uuid: 'writing', epoch: 1, state: { kind: 'ended' } },
      { uuid: 'gone', epoch: 1, state: { kind: 'lost' } },
    ]);
    // What is listed as open costs no request of its own.
    expect(questions.asked).toEqual(['reported 1', 'writing 1', 'fresh 1', 'gone 1']);
  });

  it('calls nothing lost that stored its end just before it closed', async () => {
    const { runFiles, manifest } = runInFolder(questions(1));
    const key = sampleKey('q1');
    const endsWhileAsked = {
      listOpen: () => Promise.resolve({ has: () => false }),
      isOpen: async () => {
        await runFiles.saveEnd(manifest.run, key, exampleEnd(key), []);
        return false;
      },
    };
    const findEnded = createFindEnded({ runFiles, questions: endsWhileAsked });
    const { found } = await runActivity(findEnded, { run: manifest.run, keys: [key] });
    expect(found).toMatchObject([{ state: { kind: 'ended' } }]);
  });
});

describe('closeRun', () => {
  it('takes its totals from the stored ends, reported or not', async () => {
    const run = await runWith(1, [sampleKey('q1'), sampleKey('q1', 2)]);
    const { runFiles, manifest } = run;
    const clock = { now: () => '2026-01-02T00:00:00.000Z' };
    const spent = { usd: 0.5, tokens: 1200 };
    const { totals } = await runActivity(createCloseRun({ runFiles, clock }), {
      run: manifest.run,
      spent,
    });
    expect(totals).toMatchObject({ outcomes: { answered: 2 } });
    expect(await runFiles.manifest(manifest.run)).toEqual({
      ...manifest,
      status: 'done',
      totals,
      spent,
      meanScores: {},
      costUsd: 0,
      endedAt: '2026-01-02T00:00:00.000Z',
    });
    expect(published(run)).toEqual([
      ['q1 1', 'q1 2'],
      ['q1 1', 'q1 2'],
    ]);
  });
});

describe('endUnstarted', () => {
  it('ends what has no end, with what its turns have cost so far', async () => {
    const run = await runWith(2, [sampleKey('q1')]);
    const { runFiles, manifest } = run;
    const asked = sampleKey('q2', 2);
    await runFiles.saveReply(manifest.run, asked, exampleReply(1, null, { costUsd: 0.25 }));
    const clock = { now: () => '2026-01-01T00:00:00.000Z' };
    const endUnstarted = createEndUnstarted({ runFiles, databases: noDatabases, clock });
    const outcome = { kind: 'deadline' } as const;
    await runActivity(endUnstarted, { run: manifest.run, outcome });
    expect(await runFiles.end(manifest.run, sampleKey('q1'))).toEqual(exampleEnd(sampleKey('q1')));
    expect(await runFiles.end(manifest.run, sampleKey('q1', 2))).toMatchObject({
      result: { outcome, turns: 0, costUsd: 0, usage: { calls: 0 } },
    });
    expect(linesOf(run.folder, trajectoryFile(sampleKey('q1', 2)))).toEqual([]);
    expect(await runFiles.end(manifest.run, asked)).toMatchObject({
      result: { outcome, turns: 1, costUsd: 0.25, usage: { calls: 1, promptTokens: 100 } },
    });
    expect(linesOf(run.folder, trajectoryFile(asked)).length).toBeGreaterThan(2);
    expect(await runActivity(createCountSpent(run), manifest)).toEqual({ usd: 0.25, tokens: 110 });
  });
});

describe('countSpent', () => {
  it('counts the probes of the models, and so does the start of a run', async () => {
    const run = await runWith(1, []);
    const probes = { calls: 1, promptTokens: 9, completionTokens: 2, costUsd: 0.5 };
    await run.runFiles.saveManifest({ ...run.manifest, probes });
    const spent = { usd: 0.5, tokens: 11 };
    expect(await runActivity(createCountSpent(run), run.manifest)).toEqual(spent);
    expect(await runActivity(createOpenRun(run), run.manifest)).toMatchObject({ spent });
  });

  it('charges calls without usage as they were charged when they were made, also once their question has ended', async () => {
    const run = await runWith(1, []);
    const { runFiles, manifest } = run;
    const charged = { usd: 0.5, tokens: 3000 };
    const reply = exampleReply(1, null, { tokens: null, charged });
    for (const epoch of [1, 2])
      await runFiles.saveReply(manifest.run, sampleKey('q1', epoch), reply);
    const ended = exampleEnd(sampleKey('q1'));
    const usage = { ...ended.result.usage, calls: 1 };
    const result = { ...ended.result, usage, turns: 1 };
    await runFiles.saveEnd(manifest.run, sampleKey('q1'), { ...ended, result }, []);
    expect(await runActivity(createCountSpent(run), manifest)).toEqual({ usd: 1, tokens: 6000 });
  });

  it('counts attempts whose reply never came like the call that took their place, also once the question has ended', async () => {
    const run = await runWith(1, []);
    const { runFiles, manifest } = run;
    const tokens = { prompt: 90, completion: 10, cached: 0, reasoning: 0 };
    const reply = exampleReply(1, null, { tokens, costUsd: 0.25, unanswered: 2 });
    for (const epoch of [1, 2])
      await runFiles.saveReply(manifest.run, sampleKey('q1', epoch), reply);
    const ended = exampleEnd(sampleKey('q1'));
    const usage = usageOf(reply);
    expect(usage).toMatchObject({ promptTokens: 90, completionTokens: 10, lostTokens: 200 });
    const result = { ...ended.result, usage, turns: 1, costUsd: 0.25 };
    await runFiles.saveEnd(manifest.run, sampleKey('q1'), { ...ended, result }, []);
    expect(await runActivity(createCountSpent(run), manifest)).toEqual({ usd: 1.5, tokens: 600 });
  });

  it('counts graph queries, also of conversations that were left behind, and of ends that another unknown cost hides', async () => {
    const run = await runWith(1, []);
    const manifest = {
      ...run.manifest,
      config: { ...run.manifest.config, method: 'iterative_graph_rag' as const },
    };
    await run.runFiles.saveManifest(manifest);
    const { runFiles } = run;
    const asksGraph = exampleReply(1, { kind: 'QueryGraph', query: 'Why?' }, { costUsd: null });
    for (const [epoch, costUsd] of [
      [1, 0.5],
      [2, 0.25],
    ] as const) {
      const key = sampleKey('q1', epoch);
      await runFiles.saveReply(manifest.run, key, asksGraph);
      const facts = {
        tool: 'graph',
        outcome: { kind: 'empty' },
        ms: 1,
        costUsd,
      } as const;
      const observation = { turn: 1, content: 'Because.', facts, startedAt: '', endedAt: '' };
      await runFiles.saveObservation(manifest.run, key, observation);
    }
    const ended = exampleEnd(sampleKey('q1'));
    const result = { ...ended.result, costUsd: null, turns: 1 };
    await runFiles.saveEnd(manifest.run, sampleKey('q1'), { ...ended, result }, []);
    await runFiles.reopen(manifest.run, [sampleKey('q1', 2)], true);
    expect(await runActivity(createCountSpent(run), manifest)).toMatchObject({ usd: 0.75 });
  });
});
