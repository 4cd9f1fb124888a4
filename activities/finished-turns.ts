import type { FinishedTurn } from '../domain/questions/conversation.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import { observationWithoutTools } from '../domain/observations/terminal-observation.js';
import { PortFailure } from './ports/port-failure.js';
import type { RunFilesPort } from './ports/run-files.js';
import type { ReplyRecord } from '../domain/questions/turn-record.js';

/** Turns `first` to `last` of a question, from the run's files. */
export async function finishedTurns(
  runFiles: RunFilesPort,
  question: QuestionRef,
  first: number,
  last: number,
): Promise<readonly FinishedTurn[]> {
  const turns = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return Promise.all(turns.map((turn) => finishedTurn(runFiles, question, turn)));
}

async function finishedTurn(
  runFiles: RunFilesPort,
  question: QuestionRef,
  turn: number,
): Promise<FinishedTurn> {
  const { reply, observation } = await storedTurn(runFiles, question, turn);
  if (reply === null || observation === null) {
    throw new PortFailure(
      'InvalidRun',
      `turn ${turn} of question ${question.uuid} (epoch ${question.epoch}) is missing from run ${question.run}`,
    );
  }
  return { reply, observation };
}

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
      const { reply, observation } = await storedTurn(runFiles, question, turns.length + 1);
      if (reply === null || observation === null) return { turns, unfinished: reply, damage: null };
      turns.push({ reply, observation });
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
): Promise<{ readonly reply: ReplyRecord | null; readonly observation: string | null }> {
  const [reply, record] = await Promise.all([
    runFiles.reply(question.run, question, turn),
    runFiles.observation(question.run, question, turn),
  ]);
  return {
    reply,
    observation: record?.content ?? (reply && observationWithoutTools(reply.reading)),
  };
}
