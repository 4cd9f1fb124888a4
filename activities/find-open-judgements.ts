import { caseOfLine } from '../domain/judging/case-of-line.js';
import { hearJudge } from '../domain/judging/hear-judge.js';
import { judgeRequest } from '../domain/judging/judge-request.js';
import type { CaseLine, JudgingId, JudgingJob } from '../domain/judging/judging-job.js';
import type { OpenJudgement } from '../domain/judging/judging-progress.js';
import { worstCase } from '../domain/models/worst-case.js';
import { reportingFailures } from './failures.js';
import type { JudgingFilesPort } from './ports/judging-files.js';

export interface OpenJudgements {
  readonly open: readonly OpenJudgement[];
  /** The first case that was not looked at; null where there is none. */
  readonly next: number | null;
}

/** Cases looked at by one activity: their files are opened at once. */
const batchSize = 100;

/** What of the cases from `from` on has to be asked, as far as it is known before a judge has said anything more. */
export function createFindOpenJudgements({
  judgingFiles,
}: {
  readonly judgingFiles: JudgingFilesPort;
}): (input: { readonly judging: JudgingId; readonly from: number }) => Promise<OpenJudgements> {
  return async function findOpenJudgements({ judging, from }) {
    return reportingFailures(async () => {
      const job = await judgingFiles.job(judging);
      const to = Math.min(job.cases.length, from + batchSize);
      const batch = job.cases.slice(from, to);
      const open = await Promise.all(
        batch.map((line, place) => openOf(judgingFiles, job, line, from + place)),
      );
      return { open: open.flat(), next: to < job.cases.length ? to : null };
    });
  };
}

async function openOf(
  judgingFiles: JudgingFilesPort,
  { judging, mode }: JudgingJob,
  line: CaseLine,
  index: number,
): Promise<readonly OpenJudgement[]> {
  const replies = await judgingFiles.replies(line.folder);
  const answer = caseOfLine(line, mode);
  return judging.models.flatMap((model, judge) => {
    const { finding } = hearJudge(answer, model, judging.tries, replies);
    if (finding.kind !== 'open') return [];
    const need = worstCase(judgeRequest(model, finding.question), model.price);
    return [{ index, judge, need }];
  });
}
