import { counted, grouped, joined, sizeText } from '../../domain/formats/text.js';
import { sum } from '../../domain/statistics/means.js';
import type { RemovableRun, RemovedRun } from '../runs/removal/remove-runs.js';
import { alignColumns } from './terminal.js';

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
