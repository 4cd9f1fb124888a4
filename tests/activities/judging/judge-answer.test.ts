import { describe, expect, it } from 'vitest';
import { FakeQuestions } from '../../support/fakes/fake-questions.js';
import { noDatabases } from '../../support/fakes/no-databases.js';
import { createCountSpent } from '../../../activities/runs/open-run.js';
import { createEndQuestion } from '../../../activities/questions/end-question.js';
import {
  createFindOpenJudges,
  createJudgeAnswer,
} from '../../../activities/judging/judge-answer.js';
import type { ModelPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { reserving, type Budgets } from '../../../worker/model-calls/reserve.js';
import { noBills, worstCase, type Amount } from '../../../domain/budget/amount.js';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { judgePromptVersion } from '../../../domain/scoring/judging/judge-request.js';
import type { DatasetItem, Evaluator } from '../../../domain/scoring/dataset-item.js';
import type { EndRecord } from '../../../domain/runs/question-end.js';
import { contentText } from '../../../domain/models/chat-message.js';
import type { Outcome } from '../../../domain/agent/question-result.js';
import { exampleReply } from '../../support/runs/example-records.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { leftBy, OutageAfterReply } from '../../support/fakes/outage.js';
import { saysFalse, saysTrue } from '../../support/runs/judged.js';
import { questionInFolder, type QuestionInFolder } from '../../support/runs/question-in-folder.js';
import { runActivity } from '../../support/run-activity.js';

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const byReference: Evaluator = {
  eval_func: 'eval_reference_answer_with_llm',
  eval_kwargs: { question: 'How many?', reference_answer: 'a score' },
};
const byNumber: Evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 20 } };

/** A question of a run with judges, answered with 20. */
async function answered({
  judges = ['a-judge'],
  evaluator = byReference,
  item = { evaluator },
  source = '20',
  judgeEmpty = false,
  structured = false,
  strict = false,
  replay = null,
}: {
  readonly judges?: readonly string[];
  readonly evaluator?: Evaluator;
  readonly item?: Partial<DatasetItem>;
  /** The answer. */
  readonly source?: string;
  readonly judgeEmpty?: boolean;
  readonly structured?: boolean;
  readonly strict?: boolean;
  readonly replay?: RunId | null;
} = {}): Promise<QuestionInFolder> {
  const question = questionInFolder(item, (manifest) => ({
    ...manifest,
    config: {
      ...manifest.config,
      strict,
      replay,
      judging: {
        combination: 'majority',
        tries: 2,
        judgeEmpty,
        models: judges.map((name) => ({
          ...manifest.config.model,
          name,
          structuredReplies: structured,
          price: { input: 1, output: 10 },
        })),
      },
    },
  }));
  const { runFiles, ref } = question;
  const answer = { kind: 'literal', source } as const;
  await runFiles.saveReply(ref.run, ref, exampleReply(1, { kind: 'GenerateAnswer', answer }));
  return question;
}

const judging = (
  { runFiles }: QuestionInFolder,
  model: ModelPort,
  budgets?: Budgets,
): ReturnType<typeof createJudgeAnswer> =>
  createJudgeAnswer({
    model: budgets ? reserving(budgets)(model) : model,
    runFiles,
    clock,
    storeForMs: 0,
  });

async function finish(
  { runFiles, ref }: QuestionInFolder,
  judgeFailures?: readonly (string | null)[],
  outcome: Outcome = { kind: 'answered' },
): Promise<EndRecord['score']> {
  await runActivity(
    createEndQuestion({ runFiles, databases: noDatabases, questions: new FakeQuestions(), clock }),
    {
      ...ref,
      outcome,
      startedAt: clock.now(),
      ...(judgeFailures && { judgeFailures }),
    },
  );
  const end = await runFiles.end(ref.run, ref);
  if (end === null) throw new Error('nothing was stored');
  return end.score;
}

const spentIn = ({ runFiles, ref }: QuestionInFolder): Promise<Amount> =>
  runActivity(createCountSpent({ runFiles }), { run: ref.run });

const call = { promptTokens: 100, completionTokens: 10, calls: 1 };

describe('judgeAnswer', () => {
  it('has an answer judged, and its score says by whom, why and for how much', async () => {
    const question = await answered();
    const model = new FakeModel(saysTrue);
    const judgeAnswer = judging(question, model);
    expect(await runActivity(judgeAnswer, { ...question.ref, judge: 0 })).toEqual({
      kind: 'judged',
      settled: true,
    });
    expect(model.requests[0]).toMatchObject({ model: 'a-judge', temperature: 0.7 });
    expect(await finish(question)).toMatchObject({
      score: 1,
      verdict: { kind: 'scored', score: 1, rationale: 'They agree.' },
      scorer: 'eval_reference_answer_with_llm',
      judging: {
        prompts: judgePromptVersion,
        combination: 'majority',
        judges: [{ model: 'fake-model', calls: 1, verdict: { kind: 'scored', score: 1 } }],
      },
      judgeUsage: call,
      judgeCostUsd: 0.0002,
    });
    const spent = await spentIn(question);
    expect(spent.usd).toBeCloseTo(0.0002, 12);
  });

  it('is paid for once, whoever asks again', async () => {
    const question = await answered();
    const model = new FakeModel(saysFalse);
    const ref = { ...question.ref, judge: 0 };
    const first = await runActivity(judging(question, model), ref);
    expect(await runActivity(judging(question, model), ref)).toEqual(first);
    expect(model.requests).toHaveLength(1);
    const spent = await spentIn(question);
    expect(spent.tokens).toBe(110 + 110);
  });

  it('is paid for once through an outage that is longer than its attempts', async () => {
    const outage = new OutageAfterReply(saysTrue);
    const question = await answered();
    const files = { ...question, runFiles: outage.over(question.runFiles) };
    const attempt = (heartbeatDetails?: unknown) =>
      runActivity(
        judging(files, outage.model),
        { ...question.ref, judge: 0 },
        { heartbeatDetails },
      );
    const paid: unknown = expect.objectContaining({ raw: saysTrue });
    const first = await leftBy(attempt());
    expect(first).toMatchObject({ failed: 1, paid });
    // Nothing can be read either.
    const second = await leftBy(attempt(first));
    expect(second).toMatchObject({ failed: 2, paid });
    outage.end();
    expect(await attempt(second)).toMatchObject({ kind: 'judged' });
    expect(outage.calls).toBe(1);
  });

  it('is not paid for again where a run is repeated that had it', async () => {
    const before = await answered();
    const refOf = ({ ref }: QuestionInFolder) => ({ ...ref, judge: 0 });
    await runActivity(judging(before, new FakeModel(saysTrue)), refOf(before));
    const replay = runIdSchema.parse('before');
    for (const [judge, calls] of [
      ['a-judge', 0],
      ['another-judge', 1],
    ] as const) {
      const again = await answered({ replay, judges: [judge] });
      for (const reply of await before.runFiles.judgeReplies(before.ref.run, before.ref)) {
        await again.runFiles.saveJudgeReply(replay, again.ref, reply);
      }
      const model = new FakeModel(saysTrue);
      await runActivity(judging(again, model), refOf(again));
      expect(model.requests).toHaveLength(calls);
      expect(await finish(again)).toMatchObject({
        verdict: { kind: 'scored', score: 1 },
        judgeUsage: { calls },
        judgeCostUsd: calls * 0.0002,
      });
    }
  });

  it('makes one call at a time, and keeps what it cannot read', async () => {
    const question = await answered();
    const model = new FakeModel('I like it.', 'I like it a lot.');
    const judgeAnswer = judging(question, model);
    const ref = { ...question.ref, judge: 0 };
    expect(await runActivity(judgeAnswer, ref)).toMatchObject({ settled: false });
    expect(await runActivity(judgeAnswer, ref)).toMatchObject({ settled: true });
    const replies = await question.runFiles.judgeReplies(ref.run, ref);
    expect(replies.map(({ raw, number }) => [number, raw]).toSorted()).toEqual([
      [1, 'I like it.'],
      [2, 'I like it a lot.'],
    ]);
    expect(await finish(question)).toMatchObject({
      score: null,
      verdict: { kind: 'unscored', reason: 'judge-unreadable' },
      judgeUsage: { calls: 2 },
    });
  });

  it('asks each of several judges, and counts the majority', async () => {
    const question = await answered({ judges: ['one', 'two', 'three'] });
    const model = new FakeModel(saysTrue, saysFalse, saysTrue);
    for (const judge of [0, 1, 2])
      await runActivity(judging(question, model), { ...question.ref, judge });
    expect(model.requests.map(({ model: name }) => name)).toEqual(['one', 'two', 'three']);
    const score = await finish(question);
    expect(score).toMatchObject({ score: 1, judgeUsage: { calls: 3 } });
    expect(score.judging?.judges.map(({ verdict }) => verdict)).toMatchObject([
      { score: 1 },
      { score: 0 },
      { score: 1 },
    ]);
  });

  it('holds the model to a schema where its provider does that, and never strictly', async () => {
    const schemas: unknown[] = [];
    const reply = JSON.stringify({ reasoning: 'same', verdict: true });
    for (const strict of [false, true]) {
      const question = await answered({ structured: true, strict });
      const model = new FakeModel(strict ? saysTrue : reply);
      await runActivity(judging(question, model), { ...question.ref, judge: 0 });
      schemas.push(model.requests[0]?.replySchema);
      expect((await finish(question)).score).toBe(1);
    }
    expect(schemas).toEqual([
      {
        name: 'verdict',
        schema: {
          type: 'object',
          properties: { reasoning: { type: 'string' }, verdict: { type: 'boolean' } },
          required: ['reasoning', 'verdict'],
          additionalProperties: false,
        },
      },
      undefined,
    ]);
  });

  it('waits for the budget as a question does', async () => {
    const question = await answered();
    const refusing: Budgets = {
      reserve: (_run, size) =>
        Promise.resolve({ kind: 'refused', need: worstCase(size(), noBills) }),
    };
    const model = new FakeModel();
    const call = await runActivity(judging(question, model, refusing), {
      ...question.ref,
      judge: 0,
    });
    expect(call).toMatchObject({ kind: 'deferred', reason: 'budget' });
  });

  it('leaves the answer unscored where it cannot be asked, and says why', async () => {
    const question = await answered();
    const model = new FakeModel(new PortFailure('ModelRefusedKey', 'HTTP 401'));
    await expect(
      runActivity(judging(question, model), { ...question.ref, judge: 0 }),
    ).rejects.toMatchObject({ type: 'ModelRefusedKey', nonRetryable: true });
    expect(await finish(question, ['HTTP 401'])).toMatchObject({
      score: null,
      verdict: { kind: 'unscored', reason: 'judge-unavailable', message: 'HTTP 401' },
    });
  });

  it('is no part of a question that has no answer', async () => {
    const question = await answered();
    expect(await finish(question, undefined, { kind: 'cancelled' })).toEqual(
      expect.objectContaining({
        verdict: { kind: 'unscored', reason: 'outside-failure' },
      }),
    );
  });

  it('goes by the reply that was stored first', async () => {
    const question = await answered();
    const { ref } = question;
    await runActivity(judging(question, new FakeModel(saysFalse)), {
      ...ref,
      judge: 0,
    });
    const [stored] = await question.runFiles.judgeReplies(ref.run, ref);
    if (!stored) throw new Error('nothing was stored');
    const late = await question.runFiles.saveJudgeReply(ref.run, ref, {
      ...stored,
      raw: saysTrue,
    });
    expect(late.raw).toBe(saysFalse);
  });

  it('shows the judge the answer as it is scored', async () => {
    const question = await answered();
    const model = new FakeModel(saysTrue);
    await runActivity(judging(question, model), { ...question.ref, judge: 0 });
    expect(contentText(model.requests[0]?.messages[1]?.content ?? '')).toMatch(
      /<<<answer \w{32}>>>\n20\n<<<end of answer/,
    );
  });
});

describe('findOpenJudges', () => {
  it.each<readonly [string, Evaluator, readonly number[]]>([
    ['every judge of an answer that only a judge can score', byReference, [0, 1, 2]],
    ['none where a comparison decides', byNumber, []],
    [
      'none where the parts of the rule do not fit the answer',
      {
        eval_func: 'eval_conjunction',
        eval_kwargs: {
          eval_func_list: [byReference.eval_func, byNumber.eval_func],
          eval_kwargs_list: [byReference.eval_kwargs, byNumber.eval_kwargs],
        },
      },
      [],
    ],
  ])('finds %s', async (_name, evaluator, judges) => {
    const { runFiles, ref } = await answered({ judges: ['a', 'b', 'c'], evaluator });
    expect(await runActivity(createFindOpenJudges({ runFiles }), ref)).toEqual({ judges });
  });
});

describe('the answer to an item with a reference answer and no evaluator', () => {
  const long = { referenceAnswer: 'They do, by a third.' } as const;
  const conclusive = { ...long, category: 'conclusive' } as const;
  const interpretive = { ...long, category: 'interpretive' } as const;

  it.each([
    [conclusive, 'Verdict: match', { score: 1, scorer: 'eval_long_form_match' }],
    [conclusive, 'Verdict: not match', { score: 0, scorer: 'eval_long_form_match' }],
    [
      interpretive,
      'Score: 4',
      { score: 0.75, scorer: 'eval_long_form_grade', verdict: { rawScore: 4 } },
    ],
  ])('is judged on the scale of its category: %j, %s', async (item, reply, expected) => {
    const question = await answered({ item });
    expect(await runActivity(createFindOpenJudges(question), question.ref)).toEqual({
      judges: [0],
    });
    const model = new FakeModel(`Why.\n${reply}`);
    await runActivity(judging(question, model), { ...question.ref, judge: 0 });
    expect(await finish(question)).toMatchObject(expected);
  });

  it('is unscored where the judge rambles, with its replies kept', async () => {
    const question = await answered({ item: interpretive });
    const { runFiles, ref } = question;
    const model = new FakeModel('Well.', 'Score: 3.5');
    for (const settled of [false, true])
      expect(await runActivity(judging(question, model), { ...ref, judge: 0 })).toMatchObject({
        settled,
      });
    expect(await finish(question)).toMatchObject({
      score: null,
      verdict: { kind: 'unscored', reason: 'judge-unreadable' },
    });
    const kept = await runFiles.judgeReplies(ref.run, ref);
    expect(kept.map(({ raw }) => raw)).toEqual(['Well.', 'Score: 3.5']);
  });

  it('is unscored where it is empty, unless an empty answer is to be judged', async () => {
    for (const [judgeEmpty, expected] of [
      [false, { score: null, verdict: { reason: 'no-answer' } }],
      [true, { score: 0, verdict: { rawScore: 1 } }],
    ] as const) {
      const question = await answered({ item: interpretive, source: '', judgeEmpty });
      expect(await runActivity(createFindOpenJudges(question), question.ref)).toEqual({
        judges: [],
      });
      expect(await finish(question, undefined, { kind: 'abstained' })).toMatchObject(expected);
    }
  });

  it('has no score without a reference answer, and no judge is asked', async () => {
    const question = await answered({ item: { category: 'conclusive' } });
    expect(await runActivity(createFindOpenJudges(question), question.ref)).toEqual({ judges: [] });
    expect(await finish(question)).toMatchObject({
      scorer: null,
      verdict: { reason: 'no-evaluator' },
    });
  });
});
