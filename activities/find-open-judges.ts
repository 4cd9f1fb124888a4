import { hearJudge } from '../domain/judging/hear-judge.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import { reportingFailures } from './failures.js';
import { judgedCase } from './judged-case.js';
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
      const found = await judgedCase(runFiles, ref);
      if (found === null) return { judges: [] };
      const { judging, replies } = found;
      const isOpen = judging.models.map(
        (model) => hearJudge(found.case, model, judging.tries, replies).finding.kind === 'open',
      );
      return { judges: isOpen.flatMap((open, judge) => (open ? [judge] : [])) };
    });
  };
}
