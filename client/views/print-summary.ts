import type { RunId, SampleKey } from '../../domain/ids.js';
import { endedReason, runCondition, type RunSummary } from '../../domain/runs/run-progress.js';
import type { RunManifest, Note } from '../../domain/runs/run-manifest.js';
import { outsideFailures, type RunTotals } from '../../domain/runs/run-totals.js';
import type { Ruling, SignOff } from '../../domain/scoring/ruling.js';
import { exitStatus } from '../../domain/user-error.js';
import type { EndedChoice } from '../runs/choose-samples.js';
import type { RulingState } from '../runs/scoring/run-scores.js';
import { samplesOf } from '../runs/run-folder.js';
import {
  byText,
  noteLine,
  questionName,
  rulingLine,
  rulingLines,
  summaryText,
} from './run-text.js';
import { printResult } from '../services/tell.js';

/** Prints the result of a command that steers a run: one line, or the run's summary as one JSON document. */
export function printSummary(
  run: RunId,
  summary: RunSummary,
  json: boolean | undefined,
  sentence: string,
): void {
  printResult(json, { run, ...summary }, `run ${run} ${sentence}`);
}

/** The exit status of a command that waited for the end of a run. */
export const exitStatusOf = (totals: RunTotals): number =>
  outsideFailures(totals) > 0 ? exitStatus.doneWithOutsideFailures : exitStatus.done;

// What was done to a run: `run R ` comes before each.

export const pausedText = (summary: RunSummary): string => `is paused: ${summaryText(summary)}`;

export const resumedText = (summary: RunSummary): string => `goes on: ${summaryText(summary)}`;

export const tunedText = (summary: RunSummary): string => `is tuned: ${summaryText(summary)}`;

export const cancelledQuestionText = (key: SampleKey, summary: RunSummary): string =>
  `cancels ${questionName(key)}: ${summaryText(summary)}`;

export const notedText = (note: Note): string => `has ${noteLine(note)}`;

export const noteRemovedText = (note: Note): string => `no longer has ${noteLine(note)}`;

export const ruledText = (rulings: readonly Ruling[]): string =>
  `has ${rulings.map(rulingLine).join('\n')}`;

export const signedText = (signOff: SignOff): string => `signed off ${byText(signOff)}`;

/** Sentences of their own. */
export function rulingStateText(run: RunId, { open, rulings, signOff }: RulingState): string {
  const lines = [...rulingLines(open, rulings), ...(signOff ? [signedText(signOff)] : [])];
  return lines.length > 0 ? lines.join('\n') : `nothing of run ${run} is open for a ruling`;
}

/** @param ended - of its questions */
export const cancelledText = (manifest: RunManifest, ended: number): string =>
  `is ${runCondition(manifest.status, null)}${endedReason(manifest.status)}; ${ended} of ${samplesOf(manifest)} questions have ended and are kept`;

/** @param summary - null where nothing is to be asked again */
export const retriedText = (questions: number, summary: RunSummary): string =>
  `asks ${questions} ${questions === 1 ? 'question' : 'questions'} again: ${summaryText(summary)}`;

/** A sentence of its own. */
export const nothingToRetry = (run: RunId, { outcomes, questions }: EndedChoice): string =>
  outcomes || questions
    ? `run ${run} has no such question that has ended: there is nothing to retry`
    : `no question of run ${run} has ended for outside reasons: there is nothing to retry`;
