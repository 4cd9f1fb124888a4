import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { keyText } from '../../domain/ids.js';
import { pageDocument } from '../../domain/report-page/document.js';
import { pageQuestion, pageTurn } from '../../domain/report-page/page-question.js';
import type { CallSpan } from '../../domain/report-page/plots/calls-in-flight.js';
import { reportBody, type RunWithPlots } from '../../domain/report-page/report-body.js';
import type { ReportedRun } from '../../domain/report-page/reported-run.js';
import { scoreOf } from '../../domain/reports/scored-sample.js';
import type { RunFolder } from '../run-folder.js';
import { pageScripts } from './page-scripts.js';
import { pageStyle } from './page-style.js';
import { runPlots } from './plots/run-plots.js';
import { QuestionPacks } from './question-packs.js';
import { readReportedRun } from './read-reported-run.js';
import { storedTurns } from '../stored-turns.js';

/** What a page came to. */
export interface WrittenReport {
  readonly file: string;
  readonly bytes: number;
  /** Questions times epochs, of all runs. */
  readonly samples: number;
  /** Conversations and pictures that the page had no room for. */
  readonly leftOut: number;
  readonly picturesLeftOut: number;
}

/** @param fields - of the questions, by which scores are shown, too */
export async function writeReport(
  folders: readonly RunFolder[],
  file: string,
  fields: readonly string[] = [],
): Promise<WrittenReport> {
  const packs = new QuestionPacks();
  const level = folders.length > 1 ? 4 : 3;
  const runs: RunWithPlots[] = [];
  for (const folder of folders) {
    const reported = readReportedRun(folder, fields);
    const calls = addQuestions(packs, folder, reported);
    runs.push({ reported, plots: await runPlots({ reported, calls }, level) });
  }
  const { data, leftOut, picturesLeftOut } = packs.finish();
  const page = pageDocument({
    title: `turnwise report: ${folders.map(({ run }) => run).join(', ')}`,
    style: pageStyle,
    scripts: pageScripts(),
    body: reportBody(runs, {
      madeAt: new Date().toISOString(),
      remarks: roomRemarks(leftOut, picturesLeftOut),
    }),
    data,
    digest: (text) => createHash('sha256').update(text).digest('base64'),
  });
  writeFileSync(file, page);
  return {
    file,
    bytes: Buffer.byteLength(page),
    samples: runs.reduce((sum, { reported }) => sum + reported.samples.length, 0),
    leftOut,
    picturesLeftOut,
  };
}

/**
 * Those that did not come out right first: where the page has no room for all, they are what is looked at. Returns the
 * model calls of all.
 */
function addQuestions(
  packs: QuestionPacks,
  folder: RunFolder,
  reported: ReportedRun,
): readonly CallSpan[] {
  const calls: CallSpan[] = [];
  const itemOf = new Map(reported.items.map((item) => [item.uuid, item]));
  const resultOf = new Map(reported.results.map((result) => [keyText(result), result]));
  const isRight = (sample: ReportedRun['samples'][number]): boolean => scoreOf(sample) === 1;
  const order = [
    ...reported.samples.filter((sample) => !isRight(sample)),
    ...reported.samples.filter(isRight),
  ];
  for (const sample of order) {
    const item = itemOf.get(sample.uuid);
    if (item === undefined) continue;
    const turns = storedTurns(folder, sample);
    const result = resultOf.get(keyText(sample)) ?? null;
    packs.add(
      pageQuestion(
        { run: reported.run, item, sample, result },
        turns.map((turn) => pageTurn(turn, packs.place)),
      ),
    );
    for (const { reply } of turns) {
      if (reply.model === null || reply.cacheHit) continue;
      calls.push({ startMs: Date.parse(reply.startedAt), endMs: Date.parse(reply.endedAt) });
    }
  }
  return calls;
}

function roomRemarks(leftOut: number, picturesLeftOut: number): readonly string[] {
  return [
    ...(leftOut > 0
      ? [
          `${leftOut} conversations of questions that came out right last are not in this page, which would grow too large; turnwise trajectory shows them.`,
        ]
      : []),
    ...(picturesLeftOut > 0
      ? [`${picturesLeftOut} pictures are not in this page, which would grow too large.`]
      : []),
  ];
}
