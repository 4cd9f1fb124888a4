import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import type { JobOwner } from '../../domain/runs/batches.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { readJudgeReplies } from '../../domain/scoring/judging/judged-score.js';
import {
  caseOfLine,
  type CaseLine,
  type JudgingId,
  type JudgingJob,
} from '../../domain/scoring/judging/judging-job.js';
import type { CallMade, FoundCalls, OpenCall } from '../../domain/scoring/open-calls.js';
import type { Finding } from '../../domain/scoring/scorer-options.js';
import { activity } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';
import type { JudgingFilesPort } from '../ports/run-files.js';
import {
  batchedCalls,
  callMade,
  ofJob,
  paidActivity,
  type BatchedCallsInput,
  type TakenCall,
} from '../questions/call-attempt.js';
import { askJudge, openRequest, type AskJudgePorts } from './ask-judge.js';

interface JudgeCasePorts extends AskJudgePorts {
  readonly judgingFiles: JudgingFilesPort;
}

/** Cases that one activity checks. Their files are opened at the same time. */
const batchSize = 100;

/** The judges that have to be called about the cases from `from` on, as far as the stored replies show. */
export function createFindOpenJudgements({
  judgingFiles,
}: Pick<JudgeCasePorts, 'judgingFiles'>): (input: {
  readonly judging: JudgingId;
  readonly from: number;
}) => Promise<FoundCalls> {
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
    return openCalls(model, finding, { index, member });
  });
}

export interface CaseRef {
  readonly judging: JudgingId;
  /** Of the case in its job, from 0. */
  readonly index: number;
  /** From 0, in the order of the judges. */
  readonly member: number;
  /** Of the request (`OpenCall`). */
  readonly key: string;
}

/** One call of a judge about a case of a job. The workflow that schedules it has reserved its cost. */
export const createJudgeCase = (
  ports: JudgeCasePorts,
): ((ref: CaseRef, before?: CallAttempts) => Promise<CallMade | Deferral>) =>
  paidActivity(judgeCase(ports));

/** Many of them, in batches. */
export const createJudgeCases = (
  ports: JudgeCasePorts,
): ((input: BatchedCallsInput & Pick<CaseRef, 'judging'>) => Promise<readonly TakenCall[]>) =>
  batchedCalls<Pick<CaseRef, 'judging'>>(judgeCase(ports));

/** @param owner - of the batch; absent for a call that is sent at once */
function judgeCase({
  judgingFiles,
  ...ports
}: JudgeCasePorts): (
  ref: CaseRef,
  before?: CallAttempts,
  owner?: JobOwner,
) => Promise<CallMade | Deferral> {
  return async ({ judging: id, index, member, key }, before, owner) => {
    const { judging, mode, cases } = await judgingFiles.job(id);
    const line = cases[index];
    const judge = judging.models[member];
    if (line === undefined || judge === undefined)
      throw new PortFailure('InvalidRun', `judging ${id} has no judge ${member} of case ${index}`);
    const replies = await judgingFiles.replies(line.folder);
    const answer = caseOfLine(line, mode);
    // An earlier attempt of this activity may have stored the reply.
    const stored = replies.find(({ request }) => request === key);
    if (stored !== undefined) {
      const { finding } = readJudgeReplies(answer, judge, judging, replies);
      return callMade(stored, openCalls(judge, finding, { index, member }));
    }
    const result = await askJudge(ports, {
      case: answer,
      judge,
      rules: judging,
      replies,
      save: (reply) => judgingFiles.saveReply(line.folder, reply),
      before,
      ...(owner && {
        isOneOfMany: true,
        payer: ofJob(owner, { index, member, key }),
      }),
    });
    if (result.kind === 'deferred') return result;
    return callMade(result.reply, openCalls(judge, result.finding, { index, member }));
  };
}

/** What a judge has yet to be asked about a case: one request at most. */
const openCalls = (
  judge: ModelConfig,
  finding: Finding,
  place: Pick<OpenCall, 'index' | 'member'>,
): readonly OpenCall[] =>
  finding.kind === 'open' ? [{ ...place, ...openRequest(judge, finding.question) }] : [];
