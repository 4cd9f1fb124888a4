import { needsContext, type Method } from '../../domain/agent/turn-plan.js';
import type { QuestionContext } from '../../domain/agent/question-context.js';
import {
  type FinishedTurn,
  finishedTurn,
  needsTool,
  type ReplyRecord,
} from '../../domain/agent/turn-record.js';
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

/** The stored context of a question; null if its method needs none. */
export async function questionContextOf(
  runFiles: RunFilesPort,
  question: QuestionRef,
  method: Method,
): Promise<QuestionContext | null> {
  if (!needsContext(method)) return null;
  const context = await runFiles.questionContext(question.run, question);
  if (context) return context;
  throw new PortFailure('InvalidRun', `the context of ${nameOf(question)} is missing`);
}

const nameOf = ({ run, uuid, epoch }: QuestionRef): string =>
  `question ${uuid} (epoch ${epoch}) of run ${run}`;

interface StoredTurns {
  readonly turns: readonly FinishedTurn[];
  /** The reply of the last turn, if its action did not complete. */
  readonly unfinished: ReplyRecord | null;
  /** Why the next turn cannot be read; null if there is none. */
  readonly damage: PortFailure | null;
}

/** The turns of a question, up to the first that is missing or cannot be read. */
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
  const reply = await runFiles.reply(question.run, question, turn);
  if (reply === null) return { reply, finished: null };
  const observation = needsTool(reply)
    ? await runFiles.observation(question.run, question, turn)
    : null;
  return { reply, finished: finishedTurn({ reply, observation }) };
}
