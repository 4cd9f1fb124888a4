import type { QuestionRef } from '../../domain/runs/question-ref.js';
import { readJudgeReplies } from '../../domain/scoring/judging/judged-score.js';
import {
  caseOfLine,
  type CaseLine,
  type JudgingId,
  type JudgingJob,
} from '../../domain/scoring/judging/judging-job.js';
import type { FoundCalls, OpenCall } from '../../domain/scoring/open-calls.js';
import { activity } from '../failures.js';
import type { JudgingFilesPort, RunFilesPort } from '../ports/run-files.js';
import { openRequest } from './ask-judge.js';
import { judgedCase } from './judge-answer.js';

/** Cases that one activity checks. Their files are opened at the same time. */
const batchSize = 100;

/** The judges that have to be called about the cases from `from` on, as far as the stored replies show. */
export function createFindOpenJudgements({
  judgingFiles,
}: {
  readonly judgingFiles: JudgingFilesPort;
}): (input: { readonly judging: JudgingId; readonly from: number }) => Promise<FoundCalls> {
  return activity(async ({ judging, from }) => {
    const job = await judgingFiles.job(judging);
    const to = Math.min(job.cases.length, from + batchSize);
    const batch = job.cases.slice(from, to);
    const open = await Promise.all(
      batch.map((line, place) => openOf(judgingFiles, job, line, from + place)),
    );
    return { open: open.flat(), next: to < job.cases.length ? to : null };
  });
}

async function openOf(
  judgingFiles: JudgingFilesPort,
  { judging, mode }: JudgingJob,
  line: CaseLine,
  index: number,
): Promise<readonly OpenCall[]> {
  const replies = await judgingFiles.replies(line.folder);
  const answer = caseOfLine(line, mode);
  return judging.models.flatMap((model, member) => {
    const { finding } = readJudgeReplies(answer, model, judging, replies);
    if (finding.kind !== 'open') return [];
    return [{ index, member, ...openRequest(model, finding.question) }];
  });
}

export interface OpenJudges {
  /** From 0, in the order of the run's judges. */
  readonly judges: readonly number[];
}

/** The judges that have to be called before an answer can be scored: none if a comparison with the gold answer decides. */
export function createFindOpenJudges({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (ref: QuestionRef) => Promise<OpenJudges> {
  return activity(async (ref) => {
    const found = await judgedCase(runFiles, ref);
    if (found === null) return { judges: [] };
    const { judging, replies } = found;
    const isOpen = judging.models.map(
      (model) => readJudgeReplies(found.case, model, judging, replies).finding.kind === 'open',
    );
    return { judges: isOpen.flatMap((open, judge) => (open ? [judge] : [])) };
  });
}
