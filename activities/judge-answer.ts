import { isCapped } from '../domain/budget/amount.js';
import type { CallAttempts } from '../domain/models/call-attempts.js';
import type { Deferral } from '../domain/questions/deferral.js';
import type { QuestionRef } from '../domain/questions/question-ref.js';
import { askJudge, type AskJudgePorts } from './ask-judge.js';
import { reportingFailures } from './failures.js';
import { judgedCase } from './judged-case.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface JudgeAnswerPorts extends AskJudgePorts {
  readonly runFiles: RunFilesPort;
}

export interface JudgeRef extends QuestionRef {
  /** From 0, in the order of the run's judges. */
  readonly judge: number;
}

/** Whether the judge has said all that its verdict takes. */
export interface JudgeCall {
  readonly kind: 'judged';
  readonly settled: boolean;
}

/** One call of a judge about a question's answer, within the budget of its run. */
export function createJudgeAnswer({
  runFiles,
  ...ports
}: JudgeAnswerPorts): (ref: JudgeRef, before?: CallAttempts) => Promise<JudgeCall | Deferral> {
  return async function judgeAnswer(ref, before) {
    const { run } = ref;
    return reportingFailures(async () => {
      const found = await judgedCase(runFiles, ref);
      const judge = found?.judging.models[ref.judge];
      if (found === null || judge === undefined) return { kind: 'judged', settled: true };
      const { config, judging } = found;
      const said = await askJudge(ports, {
        ...found,
        judge,
        tries: judging.tries,
        recorded: config.replay === null ? [] : await runFiles.judgeReplies(config.replay, ref),
        save: (reply) => runFiles.saveJudgeReply(run, ref, reply),
        before,
        payer: {
          run,
          capped: isCapped(config.budget),
          concurrency: config.concurrency === 'auto' ? 'auto' : 'fixed',
        },
      });
      if (said.kind === 'deferred') return said;
      return { kind: 'judged', settled: said.finding.kind !== 'open' };
    });
  };
}
