import { conversation } from '../../domain/agent/conversation.js';
import { methods } from '../../domain/agent/methods.js';
import { isAnswer, outcomeOfFailure, type Outcome } from '../../domain/agent/question-result.js';
import { endedQuestion, endOfQuestion, type EndRecord } from '../../domain/runs/question-end.js';
import type { QuestionRef } from '../../domain/runs/question-ref.js';
import type { EndedQuestion } from '../../domain/runs/run-totals.js';
import type { Hearing } from '../../domain/scoring/judging/judged-score.js';
import type { JudgingConfig } from '../../domain/scoring/judging/judging-config.js';
import { reportingFailures } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import type { RunFilesPort } from '../ports/run-files.js';
import { briefingOf, storedTurns } from './stored-turns.js';

export interface EndQuestionPorts {
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}

export interface QuestionEnding extends QuestionRef {
  readonly outcome: Outcome;
  readonly startedAt: string;
  /** What was never asked has no conversation, unless turns of it are stored. @defaultValue true */
  readonly begun?: boolean;
  /** Why a judge could not be asked to the end, in the order of the run's judges. Absent where none was asked. */
  readonly judgeFailures?: readonly (string | null)[];
}

export function createEndQuestion(
  ports: EndQuestionPorts,
): (ending: QuestionEnding) => Promise<EndedQuestion> {
  return async function endQuestion(ending) {
    return reportingFailures(() => endOnce(ports, ending));
  };
}

/**
 * Writes a question's end, score and trajectory, with all that its stored turns took. An end that is stored already is
 * kept. A question whose turns are damaged ends for that reason, so that it does not stall its run.
 */
export async function endOnce(
  ports: EndQuestionPorts,
  ending: QuestionEnding,
): Promise<EndedQuestion> {
  const stored = await ports.runFiles.end(ending.run, ending);
  return endedQuestion(stored ?? (await writeEnd(ports, ending)));
}

async function writeEnd(
  { runFiles, clock }: EndQuestionPorts,
  ending: QuestionEnding,
): Promise<EndRecord> {
  const [manifest, item, { turns, unfinished, damage }] = await Promise.all([
    runFiles.manifest(ending.run),
    runFiles.item(ending.run, ending.uuid),
    storedTurns(runFiles, ending),
  ]);
  const record = endOfQuestion({
    ...ending,
    item,
    turns,
    unfinished,
    outcome: damage === null ? ending.outcome : outcomeOfFailure(damage.type, damage.message),
    strict: manifest.config.strict,
    hearing: await hearingOf(runFiles, ending, manifest.config.judging),
    endedAt: clock.now(),
  });
  const method = methods[manifest.config.method];
  // A question that ended before its first turn has none.
  const briefing = turns.length > 0 ? await briefingOf(runFiles, ending, method) : null;
  const { begun = true } = ending;
  const trajectory =
    begun || turns.length > 0
      ? conversation({ manifest, item, questionContext: briefing }, turns)
      : [];
  return runFiles.saveEnd(ending.run, ending, record, trajectory);
}

/** What was said about a question's answer; null where the run has no judges. */
async function hearingOf(
  runFiles: RunFilesPort,
  { judgeFailures, ...ref }: QuestionEnding,
  config: JudgingConfig | null,
): Promise<Hearing | null> {
  if (config === null || !isAnswer[ref.outcome.kind]) return null;
  const replies = await runFiles.judgeReplies(ref.run, ref);
  return { config, replies, failures: judgeFailures ?? [] };
}
