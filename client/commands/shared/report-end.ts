import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import type { RunTotals } from '../../../domain/runs/run-totals.js';
import { isLarge, readLatest } from '../../runs/latest-results.js';
import { samplesOf, type RunFolder } from '../../runs/run-folder.js';
import { ledgerOf, readRun } from '../../runs/scoring/run-scores.js';
import { endReport, largeReport, latestReport, retryLine } from '../../views/end-report.js';

/** What a run came to, as lines for the terminal. Of a large run not all results are read. */
export async function endText(
  folder: RunFolder,
  manifest: RunManifest,
  totals: RunTotals,
): Promise<string> {
  const samples = samplesOf(manifest);
  if (isLarge(manifest)) {
    const { results } = await readLatest(folder, manifest);
    return [
      largeReport({ samples, totals }),
      ...latestReport({ results }),
      ...retryLine(manifest.run, totals),
    ].join('\n');
  }
  const files = await readRun(folder);
  return [
    endReport({ samples, totals, results: files.results, ledger: ledgerOf(files) }),
    ...retryLine(manifest.run, totals),
  ].join('\n');
}
