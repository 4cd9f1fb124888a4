import type { Case } from '../domain/judging/hear-judge.js';
import type { JudgeReply } from '../domain/judging/judge-reply.js';
import type { JudgingConfig } from '../domain/judging/judging-config.js';
import { answerOf } from '../domain/questions/end-of-question.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import type { RunConfig } from '../domain/runs/run-config.js';
import { storedTurns } from './finished-turns.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface JudgedCase {
  readonly case: Case;
  readonly judging: JudgingConfig;
  /** Of all judges. */
  readonly replies: readonly JudgeReply[];
  readonly config: Pick<RunConfig, 'concurrency' | 'budget' | 'replay'>;
}

/**
 * The answer of a question that has been answered, and what its judges have said of it so far. Null where the run has no
 * judges, where there is nothing to judge, and where there is no rule to judge it by.
 */
export async function judgedCase(
  runFiles: RunFilesPort,
  ref: QuestionRef,
): Promise<JudgedCase | null> {
  const [{ config }, { evaluator }, { turns }, replies] = await Promise.all([
    runFiles.manifest(ref.run),
    runFiles.item(ref.run, ref.uuid),
    storedTurns(runFiles, ref),
    runFiles.judgeReplies(ref.run, ref),
  ]);
  const { judging, strict } = config;
  const answer = answerOf({ kind: 'answered' }, turns);
  if (judging === null || answer === null || evaluator === undefined) return null;
  return {
    case: {
      answer: { kind: 'str', value: answer },
      evaluator,
      mode: strict ? 'strict' : 'default',
    },
    judging,
    replies,
    config,
  };
}
