import type { RunComparison } from '../../domain/comparison/compare-runs.js';
import { keyText } from '../../domain/ids.js';
import { comparisonBody } from '../../domain/report-page/comparison-body.js';
import type { RunFolder } from '../run-folder.js';
import { packRuns } from './pack-run.js';
import { QuestionPacks } from './question-packs.js';
import { readReportedRun } from './read-reported-run.js';
import { writePage, type WrittenPage } from './write-page.js';

/** @param folders - of the baseline first, then of the others as the comparison has them */
export async function writeComparison(
  comparison: RunComparison,
  folders: readonly RunFolder[],
  file: string,
): Promise<WrittenPage> {
  const packs = new QuestionPacks();
  const runs = await Promise.all(
    folders.map(async (folder) => ({ folder, reported: await readReportedRun(folder, []) })),
  );
  const flipped = new Set(comparison.candidates.flatMap(({ flips }) => flips.map(keyText)));
  await packRuns(packs, runs, (sample) => flipped.has(keyText(sample)));
  return writePage(file, packs, {
    title: `turnwise comparison: ${folders.map(({ run }) => run).join(', ')}`,
    body: (made) =>
      comparisonBody(
        comparison,
        runs.map(({ reported }) => reported),
        made,
      ),
  });
}
