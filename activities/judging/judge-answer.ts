import { isCapped } from '../../domain/budget/amount.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import { answerOf } from '../../domain/runs/question-end.js';
import type { Deferral, QuestionRef } from '../../domain/runs/question-ref.js';
import type { RunConfig } from '../../domain/runs/run-config.js';
import { evaluatorOf } from '../../domain/scoring/dataset-item.js';
import type { JudgeReply } from '../../domain/scoring/judging/judge-request.js';
import { readJudgeReplies, type Case } from '../../domain/scoring/judging/judged-score.js';
import type { JudgingConfig } from '../../domain/scoring/judging/judging-config.js';
import { activity } from '../failures.js';
import type { RunFilesPort } from '../ports/run-files.js';
import { paidActivity } from '../questions/call-attempt.js';
import { storedTurns } from '../questions/stored-turns.js';
import { askJudge, type AskJudgePorts } from './ask-judge.js';

interface JudgedCase {
  readonly case: Case;
  readonly judging: JudgingConfig;
  /** The stored replies of all judges. */
  readonly replies: readonly JudgeReply[];
  readonly config: Pick<RunConfig, 'concurrency' | 'warmFirst' | 'budget' | 'replay'>;
}

/**
 * The answer of a question and the stored replies of its judges. Null if the run has no judges, if there is no answer, or
 * if the question has no evaluator.
 */
async function judgedCase(runFiles: RunFilesPort, ref: QuestionRef): Promise<JudgedCase | null> {
  const [{ config }, item, { turns }, replies] = await Promise.all([
    runFiles.manifest(ref.run),
    runFiles.item(ref.run, ref.uuid),
    storedTurns(runFiles, ref),
    runFiles.judgeReplies(ref.run, ref),
  ]);
  const { judging, strict } = config;
  const evaluator = evaluatorOf(item);
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

interface JudgeAnswerPorts extends AskJudgePorts {
  readonly runFiles: RunFilesPort;
}

interface OpenJudges {
  /** From 0, in the order of the run's judges. */
  readonly judges: readonly number[];
}

/** The judges that have to be called before an answer can be scored: none if a comparison with the gold answer decides. */
export function createFindOpenJudges({
  runFiles,
}: Pick<JudgeAnswerPorts, 'runFiles'>): (ref: QuestionRef) => Promise<OpenJudges> {
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

interface JudgeRef extends QuestionRef {
  /** From 0, in the order of the run's judges. */
  readonly judge: number;
}

interface JudgeCall {
  readonly kind: 'judged';
  /** Whether the judge's verdict needs no further call. */
  readonly settled: boolean;
}

/** One call of a judge about a question's answer, within the budget of its run. */
export function createJudgeAnswer({
  runFiles,
  ...ports
}: JudgeAnswerPorts): (ref: JudgeRef, before?: CallAttempts) => Promise<JudgeCall | Deferral> {
  return paidActivity(async (ref, before) => {
    const { run, uuid, epoch, asking = 1 } = ref;
    const found = await judgedCase(runFiles, ref);
    const judge = found?.judging.models[ref.judge];
    if (found === null || judge === undefined) return { kind: 'judged', settled: true };
    const { config, judging } = found;
    const result = await askJudge(ports, {
      ...found,
      judge,
      rules: judging,
      recorded: config.replay === null ? [] : await runFiles.judgeReplies(config.replay, ref),
      save: (reply) => runFiles.saveJudgeReply(run, ref, reply),
      before,
      payer: {
        run,
        capped: isCapped(config.budget),
        concurrency: config.concurrency === 'auto' ? 'auto' : 'fixed',
        warmFirst: config.warmFirst,
        ...(judge.batch && {
          batched: {
            owner: { run },
            uuid,
            epoch,
            asking,
            call: `judge ${ref.judge}, ${found.replies.length}`,
          },
        }),
      },
    });
    if (result.kind === 'deferred') return result;
    return { kind: 'judged', settled: result.finding.kind !== 'open' };
  });
}
