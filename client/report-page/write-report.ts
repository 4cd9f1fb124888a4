import { reportBody } from '../../domain/report-page/report-body.js';
import { scoreOf } from '../../domain/reports/scored-sample.js';
import type { RunFolder } from '../run-folder.js';
import { packRuns } from './pack-run.js';
import { runPlots } from './plots/run-plots.js';
import { QuestionPacks } from './question-packs.js';
import { readReportedRun } from './read-reported-run.js';
import { writePage, type WrittenPage } from './write-page.js';

export interface WrittenReport extends WrittenPage {
  /** Questions times epochs, of all runs. */
  readonly samples: number;
}

/** @param fields - of the questions, by which scores are shown, too */
export async function writeReport(
  folders: readonly RunFolder[],
  file: string,
  fields: readonly string[] = [],
): Promise<WrittenReport> {
  const packs = new QuestionPacks();
  const runs = await Promise.all(
    folders.map(async (folder) => ({ folder, reported: await readReportedRun(folder, fields) })),
  );
  const calls = await packRuns(packs, runs, (sample) => scoreOf(sample) !== 1);
  const level = runs.length > 1 ? 4 : 3;
  const withPlots = await Promise.all(
    runs.map(async ({ reported }, at) => ({
      reported,
      plots: await runPlots({ reported, calls: calls[at] ?? [] }, level),
    })),
  );
  const written = writePage(file, packs, {
    title: `turnwise report: ${folders.map(({ run }) => run).join(', ')}`,
    body: (made) => reportBody(withPlots, made),
  });
  const samples = runs.reduce((sum, { reported }) => sum + reported.samples.length, 0);
  return { ...written, samples };
}
