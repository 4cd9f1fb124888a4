import { noAmount, type Amount } from '../../domain/budget/amount.js';
import type { CallSize } from '../../domain/budget/bills.js';
import { sizeOf } from '../../domain/budget/call-size.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { amountOfReply, billedPrompt } from '../../domain/runs/spent-amount.js';
import { judgeRequest } from '../../domain/scoring/judging/judge-request.js';
import { caseOfLine, type JudgingId } from '../../domain/scoring/judging/judging-job.js';
import { reportingFailures } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';
import type { JudgingFilesPort } from '../ports/run-files.js';
import { askJudge, type AskJudgePorts } from './ask-judge.js';

export interface JudgeCasePorts extends AskJudgePorts {
  readonly judgingFiles: JudgingFilesPort;
}

export interface CaseRef {
  readonly judging: JudgingId;
  /** Of the case in its job, from 0. */
  readonly index: number;
  /** From 0, in the order of the judges. */
  readonly judge: number;
}

export interface CaseJudged {
  readonly kind: 'judged';
  readonly spent: Amount;
  readonly billed: number | null;
  /** The size of the next call; null if the judge's verdict needs none. */
  readonly size: CallSize | null;
}

/** One call of a judge about a case of a job. The workflow that schedules it has reserved its cost. */
export function createJudgeCase({
  judgingFiles,
  ...ports
}: JudgeCasePorts): (ref: CaseRef, before?: CallAttempts) => Promise<CaseJudged | Deferral> {
  return async function judgeCase({ judging: id, index, judge: number }, before) {
    return reportingFailures(async () => {
      const { judging, mode, cases } = await judgingFiles.job(id);
      const line = cases[index];
      const judge = judging.models[number];
      if (line === undefined || judge === undefined)
        throw new PortFailure(
          'InvalidRun',
          `judging ${id} has no judge ${number} of case ${index}`,
        );
      const result = await askJudge(ports, {
        case: caseOfLine(line, mode),
        judge,
        rules: judging,
        replies: await judgingFiles.replies(line.folder),
        save: (reply) => judgingFiles.saveReply(line.folder, reply),
        before,
      });
      if (result.kind === 'deferred') return result;
      const { reply, finding } = result;
      return {
        kind: 'judged',
        spent: reply === null ? noAmount : amountOfReply(reply),
        billed: reply && billedPrompt(reply),
        size:
          finding.kind === 'open'
            ? sizeOf({ ...judgeRequest(judge, finding.question), price: judge.price })
            : null,
      };
    });
  };
}
