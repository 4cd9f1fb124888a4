import type { Method } from '../../domain/agent/method.js';
import type { QuestionContext } from '../../domain/agent/question-context.js';
import type { FinishedTurn } from '../../domain/agent/turn-record.js';
import { needsContext } from '../../domain/agent/turn-plan.js';
import { finishedTurn, type ReplyRecord } from '../../domain/agent/turn-record.js';
import type { QuestionRef } from '../../domain/runs/question-ref.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';

/** Turns `first` to `last` of a question, from the run's files. */
export async function finishedTurns(
  runFiles: RunFilesPort,
  question: QuestionRef,
  first: number,
  last: number,
): Promise<readonly FinishedTurn[]> {
  const turns = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return Promise.all(turns.map((turn) => requiredTurn(runFiles, question, turn)));
}

async function requiredTurn(
  runFiles: RunFilesPort,
  question: QuestionRef,
  turn: number,
): Promise<FinishedTurn> {
  const { finished } = await storedTurn(runFiles, question, turn);
  if (finished) return finished;
  throw new PortFailure('InvalidRun', `turn ${turn} of ${nameOf(question)} is missing`);
}

/** What was read from the store for a question; null where its method needs nothing. */
export async function briefingOf(
  runFiles: RunFilesPort,
  question: QuestionRef,
  method: Method,
): Promise<QuestionContext | null> {
  if (!needsContext(method)) return null;
  const briefing = await runFiles.briefing(question.run, question);
  if (briefing) return briefing;
  throw new PortFailure('InvalidRun', `the briefing of ${nameOf(question)} is missing`);
}

const nameOf = ({ run, uuid, epoch }: QuestionRef): string =>
  `question ${uuid} (epoch ${epoch}) of run ${run}`;

export interface StoredTurns {
  readonly turns: readonly FinishedTurn[];
  /** The reply of a turn whose action never came to an end. */
  readonly unfinished: ReplyRecord | null;
  /** Why what follows cannot be read; null where nothing follows. */
  readonly damage: PortFailure | null;
}

/** All that can be read of a question's turns. */
export async function storedTurns(
  runFiles: RunFilesPort,
  question: QuestionRef,
): Promise<StoredTurns> {
  const turns: FinishedTurn[] = [];
  try {
    for (;;) {
      const { reply, finished } = await storedTurn(runFiles, question, turns.length + 1);
      if (finished === null) return { turns, unfinished: reply, damage: null };
      turns.push(finished);
    }
  } catch (error) {
    if (!(error instanceof PortFailure) || error.type !== 'InvalidRun') throw error;
    return { turns, unfinished: null, damage: error };
  }
}

async function storedTurn(
  runFiles: RunFilesPort,
  question: QuestionRef,
  turn: number,
): Promise<{ readonly reply: ReplyRecord | null; readonly finished: FinishedTurn | null }> {
  const [reply, observation] = await Promise.all([
    runFiles.reply(question.run, question, turn),
    runFiles.observation(question.run, question, turn),
  ]);
  return { reply, finished: reply && finishedTurn({ reply, observation }) };
}
