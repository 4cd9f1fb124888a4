import type { ReportedRun } from '../../domain/report-page/reported-run.js';
import { runTools } from '../../domain/runs/run-tools.js';
import { runStatus } from '../../domain/runs/run-status.js';
import { samplesOf, type RunFolder } from '../run-folder.js';
import { ledgerOf, readRun, samplesIn } from '../run-ledger.js';
import { scorerOf } from '../score-run.js';

/** @param fields - of the questions, by which scores are shown, too */
export async function readReportedRun(
  folder: RunFolder,
  fields: readonly string[],
): Promise<ReportedRun> {
  const files = await readRun(folder);
  const { manifest, results, scores } = files;
  return {
    ...files,
    run: folder.run,
    samples: samplesIn(files),
    ledger: ledgerOf(files, fields),
    totals: runStatus(samplesOf(manifest), results, scores, []).totals,
    tools: runTools(results.map(({ tools }) => tools)),
    scorer: await scorerOf(folder),
  };
}
