import type { Action } from '../../../domain/agent/actions/action.js';
import { toolStatsOf, type Outcome } from '../../../domain/agent/question-result.js';
import type { ObservationRecord, ReplyRecord } from '../../../domain/agent/turn-record.js';
import { questionIdSchema, runIdSchema, type SampleKey } from '../../../domain/ids.js';
import { noUsage } from '../../../domain/models/usage.js';
import { trajectoryFile } from '../../../domain/runs/run-manifest.js';
import type { EndRecord } from '../../../domain/runs/question-end.js';
import type { QuestionSettings } from '../../../domain/runs/question-ref.js';
import type { JudgeReply } from '../../../domain/scoring/judging/judge-request.js';

const at = { startedAt: '2026-01-01T00:00:00.000Z', endedAt: '2026-01-01T00:00:01.000Z' };

export const sampleKey = (uuid: string, epoch = 1): SampleKey => ({
  uuid: questionIdSchema.parse(uuid),
  epoch,
});

export const exampleQuestionSettings: QuestionSettings = {
  run: runIdSchema.parse('a-run'),
  model: 'a-model',
  method: 'iterative_rag',
  maxTurns: 20,
  modelTimeoutMs: 1000,
  modelAttempts: 1,
};

/** A reply that cost 100 tokens of prompt and 10 of completion. */
export const exampleReply = (
  turn: number,
  action: Action | null,
  changes: Partial<ReplyRecord> = {},
): ReplyRecord => ({
  turn,
  raw: `reply ${turn}`,
  reading: action
    ? { kind: 'action', thought: `thought ${turn}`, action }
    : { kind: 'error', error: 'No action in it.' },
  model: 'a-model-2026',
  tokens: { prompt: 100, completion: 10, cached: 0, reasoning: 0 },
  costUsd: null,
  cacheHit: false,
  retries: 0,
  ...at,
  ...changes,
});

/** What a judge said in a call of a cent. */
export const exampleJudgeReply = (part: string, number: number): JudgeReply => ({
  request: (number - 1).toString(16).padStart(32, '0'),
  part,
  number,
  raw: `call ${number} about ${part}`,
  cutOff: false,
  model: 'a-judge-2026',
  tokens: { prompt: 100, completion: 10, cached: 0, reasoning: 0 },
  costUsd: 0.01,
  cacheHit: false,
  retries: 0,
  ...at,
});

export const exampleObservation = (turn: number, content: string): ObservationRecord => ({
  turn,
  content,
  ...at,
});

/** An end without an evaluator, of no turns and no cost. */
export const exampleEnd = (
  { uuid, epoch }: SampleKey,
  outcome: Outcome = { kind: 'answered' },
): EndRecord => ({
  result: {
    uuid,
    epoch,
    question: 'How many?',
    tags: [],
    answer: outcome.kind === 'answered' ? '20' : null,
    outcome,
    turns: 0,
    usage: noUsage,
    times: { durationMs: 1000, modelMs: null, waitedMs: 0 },
    costUsd: null,
    model: null,
    ...at,
    trajectory: trajectoryFile({ uuid, epoch }),
    tools: toolStatsOf([]),
  },
  score: {
    uuid,
    epoch,
    score: null,
    verdict: { kind: 'unscored', reason: 'no-evaluator' },
    scorer: null,
  },
});
