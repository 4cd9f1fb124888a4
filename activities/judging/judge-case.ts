import { noAmount, type Amount } from '../../domain/budget/amount.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { amountOfReply, billedPrompt } from '../../domain/runs/spent-amount.js';
import type { JudgeReply } from '../../domain/scoring/judging/judge-request.js';
import { readJudgeReplies } from '../../domain/scoring/judging/judged-score.js';
import { caseOfLine, type JudgingId } from '../../domain/scoring/judging/judging-job.js';
import type { OpenCall } from '../../domain/scoring/open-calls.js';
import type { Finding } from '../../domain/scoring/scorer-options.js';
import { PortFailure } from '../ports/port-failure.js';
import type { JudgingFilesPort } from '../ports/run-files.js';
import { paidActivity } from '../questions/call-attempt.js';
import { askJudge, openRequest, type AskJudgePorts } from './ask-judge.js';

export interface JudgeCasePorts extends AskJudgePorts {
  readonly judgingFiles: JudgingFilesPort;
}

export interface CaseRef {
  readonly judging: JudgingId;
  /** Of the case in its job, from 0. */
  readonly index: number;
  /** From 0, in the order of the judges. */
  readonly judge: number;
  /** Of the request (`OpenCall`). */
  readonly key: string;
}

export interface CaseJudged {
  readonly kind: 'judged';
  readonly spent: Amount;
  readonly billed: number | null;
  /** The next request; null if the judge's verdict needs none. */
  readonly next: Pick<OpenCall, 'key' | 'size'> | null;
}

/** One call of a judge about a case of a job. The workflow that schedules it has reserved its cost. */
export function createJudgeCase({
  judgingFiles,
  ...ports
}: JudgeCasePorts): (ref: CaseRef, before?: CallAttempts) => Promise<CaseJudged | Deferral> {
  return paidActivity(async ({ judging: id, index, judge: number, key }, before) => {
    const { judging, mode, cases } = await judgingFiles.job(id);
    const line = cases[index];
    const judge = judging.models[number];
    if (line === undefined || judge === undefined)
      throw new PortFailure('InvalidRun', `judging ${id} has no judge ${number} of case ${index}`);
    const replies = await judgingFiles.replies(line.folder);
    const answer = caseOfLine(line, mode);
    // An earlier attempt of this activity may have stored the reply.
    const stored = replies.find(({ request }) => request === key);
    if (stored !== undefined) {
      return judged(judge, stored, readJudgeReplies(answer, judge, judging, replies).finding);
    }
    const result = await askJudge(ports, {
      case: answer,
      judge,
      rules: judging,
      replies,
      save: (reply) => judgingFiles.saveReply(line.folder, reply),
      before,
    });
    if (result.kind === 'deferred') return result;
    return judged(judge, result.reply, result.finding);
  });
}

const judged = (judge: ModelConfig, reply: JudgeReply | null, finding: Finding): CaseJudged => ({
  kind: 'judged',
  spent: reply === null ? noAmount : amountOfReply(reply),
  billed: reply && billedPrompt(reply),
  next: finding.kind === 'open' ? openRequest(judge, finding.question) : null,
});
