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
import { counted, grouped, joined, sizeText } from '../../domain/formats/text.js';
import { sum } from '../../domain/statistics/means.js';
import type { RemovableRun, RemovedRun } from '../runs/removal/remove-runs.js';
import { alignColumns } from './terminal.js';

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

const isPartial = ({ isWhole }: RemovableRun): boolean => !isWhole;

const nameOf = (found: RemovableRun): string =>
  isPartial(found) ? `what is left of run ${found.run}` : `run ${found.run}`;

const filesOf = (found: readonly RemovableRun[]): string =>
  `${counted(sum(found.map(({ objects }) => objects)), 'file')}, ${sizeText(sum(found.map(({ bytes }) => bytes)))}`;

/** What is about to be removed, inside a sentence. */
export function toRemoveText(found: readonly RemovableRun[]): string {
  const [first, ...others] = found;
  if (first && others.length === 0) return `${nameOf(first)} (${filesOf(found)})`;
  const names = found.map(({ run }) => run);
  return `${found.length} runs (${names.join(', ')}; ${filesOf(found)})`;
}

/** A line for each run that would be removed. */
export const foundText = (found: readonly RemovableRun[]): string =>
  joined(
    '\n',
    alignColumns([
      ['run', 'files', 'size', 'histories'],
      ...found.map((each) => [
        isPartial(each) ? `${each.run} (half removed)` : each.run,
        grouped(each.objects),
        sizeText(each.bytes),
        each.histories === null ? 'not counted: no services run' : grouped(each.histories),
      ]),
    ]),
    'nothing was removed',
  );

/** A line for each run that was removed. */
export const removedText = (removed: readonly RemovedRun[]): string =>
  joined(
    '\n',
    removed.map((each) =>
      joined(
        ', ',
        `removed ${nameOf(each)}: ${filesOf([each])}`,
        each.histories !== null && `${grouped(each.histories)} histories`,
        each.replies > 0 && `${grouped(each.replies)} replies in the cache`,
      ),
    ),
    removed.some(({ histories }) => histories === null) &&
      'their histories stay in Temporal until its retention has passed',
  );
