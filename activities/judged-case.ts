import type { Case } from '../domain/judging/judge-of-replies.js';
import type { JudgeReply } from '../domain/judging/judge-reply.js';
import type { JudgingConfig } from '../domain/judging/judging-config.js';
import { answerOf } from '../domain/questions/end-of-question.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import { storedTurns } from './finished-turns.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface HeardCase {
  /** Null where there is nothing to judge, or no rule to judge it by. */
  readonly answer: Case | null;
  /** Null where the run has no judges. */
  readonly judging: JudgingConfig | null;
  /** Of each judge, in their order. */
  readonly replies: readonly (readonly JudgeReply[])[];
}

/** The answer of a question that has been answered, and what its judges have said of it so far. */
export async function caseOf(runFiles: RunFilesPort, ref: QuestionRef): Promise<HeardCase> {
  const [{ config }, { evaluator }, { turns }] = await Promise.all([
    runFiles.manifest(ref.run),
    runFiles.item(ref.run, ref.uuid),
    storedTurns(runFiles, ref),
  ]);
  const { judging, strict } = config;
  const answer = answerOf({ kind: 'answered' }, turns);
  const replies = await Promise.all(
    (judging?.models ?? []).map((_, judge) => runFiles.judgeReplies(ref.run, ref, judge)),
  );
  return {
    answer: answer === null || evaluator === undefined ? null : { answer, evaluator, strict },
    judging,
    replies,
  };
}
