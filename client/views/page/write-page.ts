import { writeFileSync } from 'node:fs';
import { keyText } from '../../../domain/ids.js';
import type { RunComparison } from '../../../domain/runs/compare-runs.js';
import { scoreOf, type RunAnswer } from '../../../domain/scoring/answer.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { databaseReportOf, type DatabaseReport } from '../../runs/database-qa/database-report.js';
import { comparisonBody } from './comparison-body.js';
import { pageDocument, type MadePage } from './document.js';
import { evaluationBody, type EvaluationOnPage } from './evaluation-body.js';
import type { Markup } from './markup.js';
import { packed, packRuns, QuestionPacks } from './pack-run.js';
import { browserScript } from './page-assets.js';
import { pageStyle } from './page-style.js';
import { databasePlots } from './plots/database-plots.js';
import type { CallSpan } from './plots/draw.js';
import { plotsOf, runPlots } from './plots/run-plots.js';
import { reportBody } from './report-body.js';
import type { QuestionTable } from './question-table.js';
import { questionsOf } from './run-questions.js';
import { readReportedRun, type ReportedRun } from '../../runs/reported-run.js';

/** A page that has been written. */
interface WrittenPage {
  readonly file: string;
  readonly bytes: number;
}

/** The content of a page besides the conversations. */
interface PageToWrite {
  readonly title: string;
  readonly questions: QuestionTable | null;
  readonly body: (made: MadePage) => Markup;
}

/** A page as text. It says what it has no room for. */
function makePage(packs: QuestionPacks, { title, questions, body }: PageToWrite): string {
  const { data, leftOut, picturesLeftOut } = packs.finish();
  return pageDocument({
    title,
    style: pageStyle,
    scripts: [browserScript('report')],
    body: body({
      madeAt: new Date().toISOString(),
      remarks:
        questions === null
          ? ['These answers were made elsewhere: the page has their figures, not their texts.']
          : leftOutRemarks(leftOut, picturesLeftOut),
      questions,
    }),
    data: [{ id: 'question-table', content: packed(JSON.stringify(questions)) }, ...data],
  });
}

function writePage(file: string, html: string): WrittenPage {
  writeFileSync(file, html);
  return { file, bytes: Buffer.byteLength(html) };
}

function leftOutRemarks(leftOut: number, picturesLeftOut: number): readonly string[] {
  return [
    ...(leftOut > 0
      ? [
          `${leftOut} conversations are not in this page, because it would become too large: \`turnwise trajectory\` shows them.`,
        ]
      : []),
    ...(picturesLeftOut > 0
      ? [`${picturesLeftOut} pictures are not in this page, because it would become too large.`]
      : []),
  ];
}

/** What a report has besides the runs. */
export interface ReportParts {
  /** Further fields of the questions by which scores are grouped. @defaultValue none */
  readonly fields?: readonly string[];
  /** Tables and figures about answers over databases. @defaultValue those of the runs, if they have such answers */
  readonly databases?: DatabaseReport | null;
}

export const writeReport = async (
  folders: readonly RunFolder[],
  file: string,
  parts: ReportParts = {},
): Promise<WrittenPage> => writePage(file, await makeReport(folders, parts));

/** The report as text. */
export async function makeReport(
  folders: readonly RunFolder[],
  { fields = [], ...parts }: ReportParts = {},
): Promise<string> {
  const report = parts.databases === undefined ? await databaseReportOf(folders) : parts.databases;
  const { packs, runs, calls } = await packFolders(folders, isNotRight, fields);
  const level = runs.length > 1 ? 4 : 3;
  const withPlots = await Promise.all(
    runs.map(async (reported, at) => ({
      reported,
      plots: await runPlots({ reported, calls: calls[at] ?? [] }, level),
    })),
  );
  const databases = report && {
    report,
    plots: await plotsOf(databasePlots(report.tables), 3),
  };
  return makePage(packs, {
    title: runs.length > 0 ? `turnwise report: ${namesOf(folders)}` : 'turnwise report',
    questions: runs.length === 0 ? null : questionsOf(runs),
    body: (made) => reportBody(withPlots, databases, made),
  });
}

/** @param folders - the baseline's, then the others' in the order of the comparison */
export async function writeComparison(
  comparison: RunComparison,
  folders: readonly RunFolder[],
  file: string,
): Promise<WrittenPage> {
  const flipped = new Set(comparison.candidates.flatMap(({ flips }) => flips.map(keyText)));
  const { packs, runs } = await packFolders(folders, (answer) => flipped.has(keyText(answer)));
  const made = makePage(packs, {
    title: `turnwise comparison: ${namesOf(folders)}`,
    questions: questionsOf(runs, comparison),
    body: (made) => comparisonBody(comparison, made),
  });
  return writePage(file, made);
}

/** @param folders - of the runs of the cells */
export async function writeEvaluation(
  shown: EvaluationOnPage,
  folders: readonly RunFolder[],
  file: string,
): Promise<WrittenPage> {
  const { packs, runs } = await packFolders(folders, isNotRight);
  const made = makePage(packs, {
    title: `turnwise evaluation: ${shown.evaluation.name}`,
    questions: questionsOf(runs),
    body: (made) => evaluationBody(shown, made),
  });
  return writePage(file, made);
}

const namesOf = (folders: readonly RunFolder[]): string => folders.map(({ run }) => run).join(', ');

const isNotRight = (answer: RunAnswer): boolean => scoreOf(answer) !== 1;

/** Reads runs and packs their conversations, those first for which `comesFirst` is true. */
async function packFolders(
  folders: readonly RunFolder[],
  comesFirst: (answer: RunAnswer) => boolean,
  fields: readonly string[] = [],
): Promise<{
  readonly packs: QuestionPacks;
  readonly runs: readonly ReportedRun[];
  readonly calls: readonly (readonly CallSpan[])[];
}> {
  const packs = new QuestionPacks();
  const runs = await Promise.all(
    folders.map(async (folder) => ({ folder, reported: await readReportedRun(folder, fields) })),
  );
  const calls = await packRuns(packs, runs, comesFirst);
  return { packs, runs: runs.map(({ reported }) => reported), calls };
}
