import { findingOf } from '../domain/judging/judge-of-replies.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import { reportingFailures } from './failures.js';
import { caseOf } from './judged-case.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface OpenJudges {
  /** From 0, in the order of the run's judges. */
  readonly judges: readonly number[];
}

/** The judges that have to be asked before a question's answer can be scored: none where a comparison decides. */
export function createFindOpenJudges({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (ref: QuestionRef) => Promise<OpenJudges> {
  return async function findOpenJudges(ref) {
    return reportingFailures(async () => {
      const { answer, judging, replies } = await caseOf(runFiles, ref);
      if (answer === null || judging === null) return { judges: [] };
      const open = judging.models.flatMap((model, judge) =>
        findingOf(answer, model, judging.tries, replies[judge] ?? []).kind === 'open'
          ? [judge]
          : [],
      );
      return { judges: open };
    });
  };
}
