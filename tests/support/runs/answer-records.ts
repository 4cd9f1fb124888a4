import type { QueryStatus } from '../../../domain/agent/database-qa/answer-trace.js';
import {
  answerRecordSchema,
  type AgentAnswers,
  type AnswerRecord,
} from '../../../domain/runs/database-qa/answer-record.js';
import type { SubTask } from '../../../domain/scoring/review/panel.js';
import { decisionsOf } from './panels.js';

const statusOf: Readonly<Record<string, QueryStatus>> = {
  r: 'rows',
  e: 'empty',
  x: 'error',
  t: 'timeout',
  f: 'refused',
};

const text = (words: number) => ({
  text: Array.from({ length: words }, (_, word) => `w${word}`).join(' '),
});

interface Described {
  readonly uuid: string;
  readonly epoch?: number;
  readonly category?: AnswerRecord['category'];
  readonly method?: AnswerRecord['method'];
  readonly model?: string;
  readonly database?: string;
  /** Rows of the database. */
  readonly size?: number;
  readonly judges?: readonly string[];
  readonly outcome?: AnswerRecord['outcome'];
  readonly stoppedBy?: AnswerRecord['stoppedBy'];
  /** A letter for each query: r for rows, e for empty, x for error, t for timeout, f for refused. */
  readonly queries?: string;
  /** Words. */
  readonly plan?: number;
  readonly answer?: number;
  /** A score on the scale of the category, or the reason why there is none. */
  readonly verdict?: number | string | null;
  /** `PPI/PPP`: the reviewers, then the meta-reviewers. */
  readonly panels?: Readonly<Partial<Record<SubTask, string>>>;
}

/** An answer in a few words. Without others: conclusive, sequential, answered, judged a match. */
export const answerRecord = (described: Described): AnswerRecord => {
  const { queries = 'r', plan = 10, answer = 20, verdict = 1, panels = {}, ...rest } = described;
  return answerRecordSchema.parse({
    category: 'conclusive',
    method: 'sequential',
    model: 'a-model',
    outcome: 'answered',
    ...rest,
    plan: text(plan),
    queries: Array.from(queries, (letter) => ({
      sql: 'SELECT 1',
      round: 1,
      repairOf: null,
      status: statusOf[letter],
      rows: letter === 'r' ? 2 : 0,
      error: letter === 'x' ? 'Binder Error' : null,
    })),
    answer: text(answer),
    verdict:
      typeof verdict === 'number'
        ? { kind: 'scored', score: verdict }
        : verdict && { kind: 'unscored', reason: verdict },
    panels: Object.fromEntries(
      Object.entries(panels).map(([subTask, sides]) => {
        const [reviewers = '', metaReviewers = ''] = sides.split('/');
        return [
          subTask,
          { reviewers: decisionsOf(reviewers), metaReviewers: decisionsOf(metaReviewers) },
        ];
      }),
    ),
  });
};

/** The answers of one agent, whose model and method are the first answer's. */
export const agentAnswers = (
  answers: readonly AnswerRecord[],
  run: string | null = null,
): AgentAnswers => ({
  agent: {
    run,
    model: answers[0]?.model ?? 'a-model',
    method: answers[0]?.method ?? 'sequential',
  },
  answers,
});
