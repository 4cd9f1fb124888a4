import { describe, expect, it } from 'vitest';
import type { FinishedTurn } from '../../../domain/agent/turn-record.js';
import { toolStatsOf } from '../../../domain/agent/question-result.js';
import {
  endedQuestion,
  endOfQuestion,
  endRecordSchema,
  type QuestionAtEnd,
} from '../../../domain/runs/question-end.js';
import { datasetItemSchema } from '../../../domain/scoring/dataset-item.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { exampleReply, sampleKey } from '../../support/runs/example-records.js';

const evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 20 } };
const item = datasetItemSchema.parse({ uuid: 'q1', question: 'How many?', evaluator });
const turnThatAnswers = (turn: number, source: string): FinishedTurn => ({
  reply: exampleReply(turn, { kind: 'GenerateAnswer', answer: { kind: 'literal', source } }),
  observation: source,
});

const atEnd = (changes: Partial<QuestionAtEnd>): QuestionAtEnd => ({
  ...sampleKey('q1', 2),
  item,
  turns: [turnThatAnswers(1, '20')],
  unfinished: null,
  outcome: { kind: 'answered' },
  strict: false,
  judgeReplies: null,
  execution: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:01:00.000Z',
  ...changes,
});

describe('endOfQuestion', () => {
  describe('of a question whose answer is SQL', () => {
    const executed = {
      kind: 'rows',
      result: { columns: [{ name: 'n', type: 'BIGINT' }], rows: [[1]], more: false },
    } as const;
    const sqlItem = datasetItemSchema.parse({
      ...item,
      evaluator: {
        eval_func: 'eval_execution_match',
        eval_kwargs: { gold_sql: 'SELECT 1', rule: 'bird' },
      },
    });
    const asked = { item: sqlItem, turns: [turnThatAnswers(1, 'SELECT 2 - 1')] };
    const judging = {
      models: [exampleManifest().config.model],
      combination: 'mean' as const,
      tries: 1,
    };

    it.each([null, { config: judging, replies: [], failures: [] }])(
      'compares stored results, and names the rule',
      (judgeReplies) => {
        const statements = ['SELECT 2 - 1', 'SELECT 1'].map((sql) => ({ sql, executed }));
        const { score } = endOfQuestion(
          atEnd({ ...asked, judgeReplies, execution: { statements } }),
        );
        expect(score).toMatchObject({ score: 1, scorer: 'eval_execution_match(bird)' });
      },
    );

    it('is unscored where nothing could be executed, with the reason', () => {
      const { score } = endOfQuestion(atEnd({ ...asked, executionFailure: 'the disk is gone' }));
      expect(score.verdict).toEqual({
        kind: 'unscored',
        reason: 'not-executed',
        message: 'the disk is gone',
      });
    });

    it('scores 0 for a question that the model left without an answer', () => {
      const abstained = {
        ...asked,
        turns: [],
        outcome: { kind: 'turn-limit', maxTurns: 20 } as const,
      };
      expect(endOfQuestion(atEnd(abstained)).score).toMatchObject({ score: 0 });
    });
  });

  it('makes a line of results and one of scores that belong together', () => {
    const record = endOfQuestion(atEnd({}));
    expect(record).toEqual({
      result: {
        uuid: 'q1',
        epoch: 2,
        answer: '20',
        outcome: { kind: 'answered' },
        turns: 1,
        usage: {
          promptTokens: 100,
          completionTokens: 10,
          cachedTokens: 0,
          cacheWrittenTokens: 0,
          reasoningTokens: 0,
          calls: 1,
          retries: 0,
          cacheHits: 0,
          lostTokens: 0,
        },
        costUsd: null,
        model: 'a-model-2026',
        answeredBy: [{ model: 'a-model-2026', replies: 1 }],
        tools: { ...toolStatsOf([]), ungrounded: ['20'] },
        startedAt: '2026-01-01T00:00:00.000Z',
        endedAt: '2026-01-01T00:01:00.000Z',
        trajectory: 'trajectories/q1~~2.jsonl',
        question: 'How many?',
        tags: [],
        times: { durationMs: 60_000, modelMs: { p50: 1000, p95: 1000, each: [1000] }, waitedMs: 0 },
      },
      score: {
        uuid: 'q1',
        epoch: 2,
        score: 1,
        verdict: { kind: 'scored', score: 1 },
        scorer: 'eval_int_exact_match',
      },
    });
    expect(endRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
    // Nothing tells what was in its context.
    expect(endOfQuestion(atEnd({ hasContext: true })).result.tools).not.toHaveProperty(
      'ungrounded',
    );
    expect(endedQuestion(record)).toEqual({
      outcome: 'answered',
      turns: 1,
      usage: record.result.usage,
      cost: { usd: 0, unpricedCalls: 1 },
      score: 1,
    });
  });

  it('cuts an answer where it is scored, at 30 000 tokens', () => {
    const { result } = endOfQuestion(
      atEnd({ turns: [turnThatAnswers(1, ' word'.repeat(30_001))] }),
    );
    expect(result.answer).toBe(' word'.repeat(30_000));
  });

  it('reports an end that may be of the set-up of the run, and whether any action was written', () => {
    const failureOf = (changes: Partial<QuestionAtEnd>): unknown =>
      endedQuestion(endOfQuestion(atEnd(changes))).failure;
    const talk: FinishedTurn = {
      reply: { ...exampleReply(1, null), reading: { kind: 'error', error: 'no action' } },
      observation: '',
    };
    const unparseable = { kind: 'unparseable', lastError: 'no action' } as const;
    expect(
      failureOf({ turns: [], outcome: { kind: 'context-overflow', message: 'long' } }),
    ).toEqual({
      ...{ type: 'ContextOverflow', message: 'long' },
    });
    expect(failureOf({ turns: [talk, talk], outcome: unparseable })).toEqual({
      type: 'Unknown',
      message: 'no reply has an action that can be read: no action',
    });
    const acted = turnThatAnswers(1, '20');
    expect(failureOf({ turns: [acted, talk], outcome: unparseable })).toBeUndefined();
    expect(failureOf({ outcome: { kind: 'turn-limit', maxTurns: 1 } })).toBeUndefined();
  });

  it('names no model where none ever replied', () => {
    const { result } = endOfQuestion(
      atEnd({
        turns: [],
        outcome: { kind: 'infra-error', failure: 'ModelRefusedKey', message: '' },
      }),
    );
    expect(result).toMatchObject({ model: null, turns: 0, usage: { calls: 0 } });
  });

  it('counts what was paid where the provider tells no tokens', () => {
    const untold = exampleReply(1, null, { tokens: null, retries: 2 });
    const { result } = endOfQuestion(
      atEnd({
        turns: [{ reply: untold, observation: 'x' }],
        unfinished: exampleReply(2, null),
        outcome: { kind: 'cancelled' },
      }),
    );
    expect(result.usage).toEqual({
      promptTokens: 100,
      completionTokens: 10,
      cachedTokens: 0,
      cacheWrittenTokens: 0,
      reasoningTokens: 0,
      calls: 2,
      retries: 2,
      cacheHits: 0,
      lostTokens: 0,
    });
  });

  it('counts the attempts at the call that ended it, and shows where its time went', () => {
    const second = (at: number): string => new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString();
    const reply = exampleReply(1, null, {
      startedAt: second(2),
      endedAt: second(9),
      waitedMs: 3000,
    });
    const failed = { kind: 'infra-error', failure: 'ModelUnavailable', message: '' } as const;
    const { result } = endOfQuestion(
      atEnd({
        turns: [{ reply, observation: 'x' }],
        outcome: { ...failed, attempts: 8 },
        item: datasetItemSchema.parse({ ...item, question: 'x'.repeat(500), tags: ['hard'] }),
      }),
    );
    expect(result).toMatchObject({
      usage: { calls: 1, retries: 7 },
      tags: ['hard'],
      times: { durationMs: 60_000, modelMs: { each: [4000] }, waitedMs: 56_000 },
    });
    expect(result.question).toHaveLength(200);
  });

  it('does not take judging for waiting', () => {
    const { result } = endOfQuestion(atEnd({}));
    expect(result.times).toMatchObject({ durationMs: 60_000, waitedMs: 0 });
  });

  it('scores no answer as wrong, and says why', () => {
    const { score } = endOfQuestion(atEnd({ outcome: { kind: 'turn-limit', maxTurns: 1 } }));
    expect(score.verdict).toEqual({ kind: 'scored', score: 0, rationale: 'no answer: turn-limit' });
  });
});
