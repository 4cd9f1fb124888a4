import type { RunId } from '../ids.js';
import type { Sample } from './dataset.js';
import type { QuestionRef } from './question-ref.js';

/** How the model calls of a question are made, and what becomes of what fails. */
export interface CallPolicy {
  readonly modelTimeoutMs: number;
  /** Failed attempts at one call before its question goes on without it, or waits. */
  readonly modelAttempts: number;
  /**
   * Whether a question ends or waits when a call, a search, a statement or its context fails for a reason outside of it,
   * after its retries. @defaultValue 'end'
   */
  readonly onFailure?: 'end' | 'wait';
}

/** What all questions of a run are asked with. */
interface AskingSettings extends CallPolicy {
  readonly maxTurns: number;
  /** Whether the method needs something of the store before the first turn. @defaultValue false */
  readonly needsContext?: boolean;
  /** From the first turn on, pauses apart; then the question ends as `deadline`. @defaultValue no limit */
  readonly timeLimitMs?: number;
  /** How many judges the run has. @defaultValue none */
  readonly judges?: number;
}

/** What all questions of a run have in common. */
export interface QuestionSettings extends AskingSettings {
  readonly run: RunId;
  /** Search attributes of each question. */
  readonly model: string;
  readonly method: string;
  /** Absent for a run whose questions name their databases. */
  readonly store?: string;
}

/** What the workflow of a question begins with. */
export interface AnswerQuestionInput extends QuestionRef, AskingSettings {
  /** Shortened, for screens. The whole text is in the run's files. */
  readonly question: string;
  /** Whether the SQL of the answer is executed before it is scored. @defaultValue false */
  readonly executes?: boolean;
  /** Whether a scorer of the user's scores the answer. @defaultValue false */
  readonly ownScorer?: boolean;
}

/** Lists the fields, so that the state a run carries does not enter the history with each of its questions. */
export const questionSettings = ({
  run,
  model,
  method,
  store,
  ...input
}: QuestionSettings): QuestionSettings => ({
  ...{ run, model, method },
  ...(store !== undefined && { store }),
  ...askingSettings(input),
});

export const questionInput = (
  { run, ...settings }: QuestionSettings,
  { uuid, epoch, question, executes, ownScorer, asking }: Sample,
): AnswerQuestionInput => ({
  ...{ run, uuid, epoch, question },
  ...askingSettings(settings),
  ...(executes && { executes }),
  ...(ownScorer && { ownScorer }),
  ...(asking !== undefined && { asking }),
});

const askingSettings = ({
  maxTurns,
  modelTimeoutMs,
  modelAttempts,
  needsContext,
  onFailure,
  timeLimitMs,
  judges,
}: AskingSettings): AskingSettings => ({
  ...{ maxTurns, modelTimeoutMs, modelAttempts },
  ...(needsContext && { needsContext }),
  ...(onFailure && { onFailure }),
  ...(timeLimitMs !== undefined && { timeLimitMs }),
  ...(judges !== undefined && { judges }),
});
