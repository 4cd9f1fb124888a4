import { readFileSync, writeFileSync } from 'node:fs';
import { FakeQuestions } from '../../support/fakes/fake-questions.js';
import { noDatabases } from '../../support/fakes/no-databases.js';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { createEndQuestion } from '../../../activities/questions/end-question.js';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import type { Outcome } from '../../../domain/agent/question-result.js';
import { replyFile, trajectoryFile } from '../../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { runActivity } from '../../support/run-activity.js';
import { exampleObservation, exampleReply } from '../../support/runs/example-records.js';
import { questionInFolder, type QuestionInFolder } from '../../support/runs/question-in-folder.js';

const search: Action = { kind: 'ClassicRetrieve', query: 'turns', limit: anyValueOfJson(5) };
const answer = (text: string): Action => ({
  kind: 'GenerateAnswer',
  answer: { kind: 'text', text },
});
const evaluator: DatasetItem['evaluator'] = {
  eval_func: 'eval_string_exact_match',
  eval_kwargs: { gold: 'twenty' },
};
const answered: Outcome = { kind: 'answered' };
const startedAt = '2026-01-01T00:00:00.000Z';

/** A question whose turns are as given; every one but an answer has an observation. */
async function questionWith(
  actions: readonly Action[],
  fields: Partial<DatasetItem> = { evaluator },
): Promise<QuestionInFolder> {
  const question = questionInFolder(fields);
  const { runFiles, ref } = question;
  for (const [index, action] of actions.entries()) {
    const turn = index + 1;
    await runFiles.saveReply(ref.run, ref, exampleReply(turn, action, { retries: turn }));
    if (action.kind === 'GenerateAnswer') continue;
    await runFiles.saveObservation(ref.run, ref, exampleObservation(turn, `found ${turn}`));
  }
  return question;
}

async function finish({ runFiles, ref }: QuestionInFolder, outcome: Outcome, endedAt = startedAt) {
  const endQuestion = createEndQuestion({
    runFiles,
    databases: noDatabases,
    questions: new FakeQuestions(),
    clock: { now: () => endedAt },
  });
  const ended = await runActivity(endQuestion, { ...ref, outcome, startedAt });
  const stored = await runFiles.end(ref.run, ref);
  if (stored === null) throw new Error('nothing was stored');
  return { ended, ...stored };
}

describe('endQuestion', () => {
  it('stores the answer, its score and what it took', async () => {
    const { ended, result, score } = await finish(
      await questionWith([search, answer('twenty')]),
      answered,
    );
    const usage = {
      promptTokens: 200,
      completionTokens: 20,
      cachedTokens: 0,
      cacheWrittenTokens: 0,
      reasoningTokens: 0,
      calls: 2,
      retries: 3,
      cacheHits: 0,
      lostTokens: 0,
    };
    expect(result).toMatchObject({
      answer: 'twenty',
      outcome: { kind: 'answered' },
      turns: 2,
      usage,
      model: 'a-model-2026',
      trajectory: 'trajectories/q1.jsonl',
    });
    expect(score).toMatchObject({ score: 1, scorer: 'eval_string_exact_match' });
    expect(ended).toEqual({
      outcome: 'answered',
      turns: 2,
      usage,
      cost: { usd: 0, unpricedCalls: 2 },
      score: 1,
    });
  });

  it('tells the run, each time, where that is to be told', async () => {
    const { runFiles, ref } = await questionWith([answer('twenty')]);
    const questions = new FakeQuestions();
    const clock = { now: () => startedAt };
    const ports = { runFiles, databases: noDatabases, questions, clock };
    const end = createEndQuestion(ports);
    for (const reports of [undefined, true, true]) {
      await runActivity(end, { ...ref, outcome: answered, startedAt, ...(reports && { reports }) });
    }
    expect(questions.reported).toEqual(['q1 1 answered', 'q1 1 answered']);
  });

  it('tells the run though the records cannot be packed, and then lets them be', async () => {
    const { runFiles, ref } = await questionWith([answer('twenty')]);
    const questions = new FakeQuestions();
    const full = new PortFailure('RunFilesUnavailable', 'no space left');
    const end = createEndQuestion({
      runFiles: { ...runFiles, pack: () => Promise.reject(full) },
      databases: noDatabases,
      questions,
      clock: { now: () => startedAt },
    });
    const ending = { ...ref, outcome: answered, startedAt, reports: true };
    await expect(runActivity(end, ending)).rejects.toMatchObject({ type: 'RunFilesUnavailable' });
    expect(questions.reported).toEqual(['q1 1 answered']);
    expect(await runActivity(end, ending)).toMatchObject({ outcome: 'answered', score: 1 });
  });

  it('lets the first end stand, whatever a second one says', async () => {
    const question = await questionWith([answer('twenty')]);
    const first = await finish(question, answered, '2026-01-01T00:01:00.000Z');
    const second = await finish(
      question,
      { kind: 'infra-error', failure: 'Unknown', message: 'lost' },
      '2026-01-01T00:02:00.000Z',
    );
    expect(second).toEqual(first);
  });

  it('writes a trajectory of role and content, and nothing else', async () => {
    const question = await questionWith([search, answer('twenty')]);
    await finish(question, answered);
    const lines = readFileSync(join(question.folder, trajectoryFile(question.ref)), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines.map((line) => Object.keys(line))).toEqual(lines.map(() => ['role', 'content']));
    expect(lines).toMatchObject([
      { role: 'system' },
      {
        role: 'user',
        content: expect.stringMatching(/^\[Question\]: How many turns\?/) as unknown,
      },
      { role: 'assistant' },
      { role: 'user', content: '[Observation]: found 1\n[Turns Left]: 19' },
      { role: 'assistant' },
      { role: 'user', content: '[Observation]: twenty' },
    ]);
  });

  it('counts the call of a turn that never came to an end, and not the turn', async () => {
    const question = await questionWith([search]);
    const { runFiles, ref } = question;
    await runFiles.saveReply(ref.run, ref, exampleReply(2, search));
    const { result } = await finish(question, {
      kind: 'infra-error',
      failure: 'StoreUnavailable',
      message: 'gone',
    });
    expect(result).toMatchObject({ turns: 1, usage: { calls: 2, promptTokens: 200 } });
  });

  it.each<[Outcome, readonly Action[], string | null, number | null]>([
    [answered, [answer('nineteen')], 'nineteen', 0],
    [{ kind: 'abstained' }, [answer('')], '', 0],
    [{ kind: 'turn-limit', maxTurns: 1 }, [search], null, 0],
    [{ kind: 'unparseable', lastError: 'x' }, [], null, 0],
    [{ kind: 'context-overflow', message: 'x' }, [search], null, 0],
    [{ kind: 'cancelled' }, [search], null, null],
    [{ kind: 'infra-error', failure: 'ModelUnavailable', message: 'x' }, [search], null, null],
  ])('scores %j after %j', async (outcome, actions, answerText, score) => {
    const end = await finish(await questionWith(actions), outcome);
    expect(end.result).toMatchObject({ outcome, answer: answerText });
    expect(end.score.score).toBe(score);
    expect(end.score.verdict).toMatchObject(
      score === null ? { kind: 'unscored', reason: 'outside-failure' } : { kind: 'scored' },
    );
  });

  it('leaves an item without an evaluator unscored', async () => {
    const { score } = await finish(await questionWith([answer('twenty')], {}), answered);
    expect(score).toMatchObject({
      score: null,
      verdict: { kind: 'unscored', reason: 'no-evaluator' },
      scorer: null,
    });
  });

  it('ends a question whose turns are damaged for that reason, with what can be read', async () => {
    const question = await questionWith([search, search, answer('twenty')]);
    writeFileSync(join(question.folder, replyFile(question.ref, 2)), '{"turn":2');
    // Another worker, which has not read the turns before.
    const runFiles = openRunFiles(question.home);
    const { result, score } = await finish({ ...question, runFiles }, answered);
    expect(result).toMatchObject({
      answer: null,
      turns: 1,
      outcome: {
        kind: 'infra-error',
        failure: 'InvalidRun',
        message: expect.stringContaining('002.reply.json of run a-run is damaged') as unknown,
      },
    });
    expect(score.verdict).toEqual({ kind: 'unscored', reason: 'outside-failure' });
  });
});
