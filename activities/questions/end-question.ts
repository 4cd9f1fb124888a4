import { answerTraceOf } from '../../domain/agent/database-qa/build-trace.js';
import { conversation } from '../../domain/agent/conversation.js';
import { methodOf } from '../../domain/agent/methods.js';
import { isAnswer, outcomeOfFailure, type Outcome } from '../../domain/agent/question-result.js';
import { endedQuestion, endOfQuestion, type EndRecord } from '../../domain/runs/question-end.js';
import { sampleOf } from '../../domain/runs/dataset.js';
import type { QuestionRef } from '../../domain/runs/question-ref.js';
import type { EndedQuestion } from '../../domain/runs/run-totals.js';
import type { JudgeReplies } from '../../domain/scoring/judging/judged-score.js';
import type { JudgingConfig } from '../../domain/scoring/judging/judging-config.js';
import { activity } from '../failures.js';
import type { DatabasesPort } from '../ports/stores.js';
import type { ClockPort } from '../ports/clock.js';
import type { QuestionsPort, RunFilesPort } from '../ports/run-files.js';
import { schemaOf } from './question-database.js';
import { questionContextOf, storedTurns } from './stored-turns.js';

export interface EndQuestionPorts {
  readonly runFiles: RunFilesPort;
  readonly databases: DatabasesPort;
  readonly clock: ClockPort;
}

export interface QuestionEnding extends QuestionRef {
  readonly outcome: Outcome;
  readonly startedAt: string;
  /** Whether the question was started. If not, its trajectory is empty, unless it has stored turns. @defaultValue true */
  readonly started?: boolean;
  /** Whether the run is told, because it does not end the question itself. @defaultValue false */
  readonly reports?: boolean;
  /** Why a judge gave no verdict, or null, in the order of the run's judges. Absent if none was called. */
  readonly judgeFailures?: readonly (string | null)[];
  /** Why the SQL of the answer and its gold were not executed. Absent if they were, or need not be. */
  readonly executionFailure?: string;
}

export function createEndQuestion(
  ports: EndQuestionPorts & { readonly questions: Pick<QuestionsPort, 'reportEnd'> },
): (ending: QuestionEnding) => Promise<EndedQuestion> {
  return activity(async (ending) => {
    const report = (ended: EndedQuestion): Promise<void> =>
      ports.questions.reportEnd(ending, ended);
    return endOnce(ports, ending, ending.reports ? report : undefined);
  });
}

/**
 * Writes the end of one asking of a question, score and trajectory, with the totals of its stored turns, unless an end is stored. A question
 * whose turns are damaged ends with that failure, so that it does not stall its run.
 * @param report - tells of the end as soon as it is stored
 */
export async function endOnce(
  ports: EndQuestionPorts,
  ending: QuestionEnding,
  report?: (ended: EndedQuestion) => Promise<void>,
): Promise<EndedQuestion> {
  const { runFiles } = ports;
  const asking = ending.asking ?? (await runFiles.asking(ending.run, ending));
  const asked = { ...ending, asking };
  const stored = await runFiles.end(asked.run, asked);
  const ended = endedQuestion(stored ?? (await writeEnd(ports, asked)));
  await Promise.all([report?.(ended), stored === null && runFiles.pack(asked.run, asked)]);
  return ended;
}

async function writeEnd(
  { runFiles, databases, clock }: EndQuestionPorts,
  ending: QuestionEnding,
): Promise<EndRecord> {
  const [manifest, item, { turns, unfinished, damage }] = await Promise.all([
    runFiles.manifest(ending.run),
    runFiles.item(ending.run, ending.uuid),
    storedTurns(runFiles, ending),
  ]);
  const { executes, ownScorer } = sampleOf(item, ending.epoch);
  const [execution, ownVerdict] = await Promise.all([
    executes ? runFiles.execution(ending.run, ending) : null,
    ownScorer ? runFiles.ownVerdict(ending.run, ending) : null,
  ]);
  const method = methodOf(manifest.config);
  const record = endOfQuestion({
    ...ending,
    item,
    turns,
    unfinished,
    execution,
    ownVerdict,
    outcome: damage === null ? ending.outcome : outcomeOfFailure(damage.type, damage.message),
    strict: manifest.config.strict,
    judgeReplies: await judgeRepliesTo(runFiles, ending, manifest.config.judging),
    hasContext: method.kind === 'single-shot',
    endedAt: clock.now(),
  });
  // A question that ended before its first turn has none.
  const questionContext =
    turns.length > 0 ? await questionContextOf(runFiles, ending, method) : null;
  const database = turns.length > 0 ? await schemaOf(databases, manifest, item) : null;
  const { started = true } = ending;
  const trajectory =
    started || turns.length > 0
      ? conversation({ manifest, item, database, questionContext }, turns)
      : [];
  const { answer, model } = record.result;
  const name = model ?? manifest.config.model.name;
  const trace =
    method.kind === 'database' ? answerTraceOf(ending, method.mode, name, turns, answer) : null;
  return runFiles.saveEnd(ending.run, ending, record, trajectory, trace);
}

/** The judges' replies to a question's answer; null if the run has no judges, or the question no answer. */
async function judgeRepliesTo(
  runFiles: RunFilesPort,
  { judgeFailures, ...ref }: QuestionEnding,
  config: JudgingConfig | null,
): Promise<JudgeReplies | null> {
  if (config === null || !isAnswer[ref.outcome.kind]) return null;
  const replies = await runFiles.judgeReplies(ref.run, ref);
  return { config, replies, failures: judgeFailures ?? [] };
}
