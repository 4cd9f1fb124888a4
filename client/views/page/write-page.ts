import { writeFileSync } from 'node:fs';
import { said } from '../../../domain/formats/text.js';
import { keyText } from '../../../domain/ids.js';
import type { RunComparison } from '../../../domain/runs/compare-runs.js';
import { scoreOf, type RunAnswer, resultsIn } from '../../../domain/scoring/answer.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { databaseReportOf, type DatabaseReport } from '../../runs/database-qa/database-report.js';
import { pageDocument, type MadePage, pageFrame, sectionsPage, browserScript } from './document.js';
import { type Markup, markup } from './markup.js';
import { packed, packRuns, QuestionPacks } from './pack-run.js';
import { pageStyle } from './page-style.js';
import { databasePlots } from './plots/database-plots.js';
import type { CallSpan } from './plots/draw.js';
import { plotsOf, runPlots } from './plots/run-plots.js';
import type { QuestionTable } from './question-table.js';
import { questionsOf } from './run-questions.js';
import { readReportedRun, type ReportedRun } from '../../runs/reported-run.js';
import { databaseSections } from '../database-qa/report-tables.js';
import { ledgerSection } from '../sections/ledger.js';
import { comparedSections, endedNote } from '../sections/run.js';
import { factsSection, headlineMarkup, sectionContent, sectionsMarkup } from './section-markup.js';
import { comparisonSections, runsOf } from '../sections/comparison.js';
import type { Amount } from '../../../domain/budget/amount.js';
import type { EvaluationComparison, Evaluation } from '../../../domain/evaluations/evaluation.js';
import { evaluationSections, evaluationWords } from '../sections/evaluation.js';

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

const leftOutRemarks = (leftOut: number, picturesLeftOut: number): readonly string[] =>
  said([
    leftOut > 0 &&
      `${leftOut} conversations are not in this page, because it would become too large: \`turnwise trajectory\` shows them.`,
    picturesLeftOut > 0 &&
      `${picturesLeftOut} pictures are not in this page, because it would become too large.`,
  ]);

/** What a report has besides the runs. */
interface ReportParts {
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

/** A run and its plots. */
interface RunWithPlots {
  readonly reported: ReportedRun;
  readonly plots: readonly Markup[];
}

/** What is said of answers over databases, besides. */
interface DatabasesOnPage {
  readonly report: DatabaseReport;
  /** Of Figures 3 to 5. */
  readonly plots: readonly Markup[];
}

export function reportBody(
  runs: readonly RunWithPlots[],
  databases: DatabasesOnPage | null,
  made: MadePage,
): Markup {
  const several = runs.length > 1;
  const shown = [
    ...comparedSections(runs.map(({ reported }) => reported)),
    ...(databases ? databaseSections(databases.report) : []),
  ];
  const figures = { id: 'figures', name: 'Figures' };
  const ofRuns = several
    ? runs.map(({ reported }, at) => ({ id: `run-${at}`, name: reported.run }))
    : runs.length === 0
      ? []
      : sections.map(({ id, name }) => ({ id: `${id}-0`, name }));
  return pageFrame({
    kind: 'turnwise report',
    title: titleOf(runs, databases),
    links: [
      ...shown.map(({ id, title }) => ({ id, name: title })),
      ...(databases ? [figures] : []),
      ...ofRuns,
    ],
    content: markup`${sectionsMarkup(shown)}${
      databases &&
      markup`<section aria-labelledby="${figures.id}"><h2 id="${figures.id}">${figures.name}</h2>
<div class="plots">${databases.plots}</div>
</section>
`
    }${runs.map((run, at) => runSection(run, at, several))}`,
    made,
  });
}

/** More runs or agents are only counted in the title. */
const mostNames = 3;

function titleOf(runs: readonly RunWithPlots[], databases: DatabasesOnPage | null): string {
  const names =
    runs.length > 0
      ? runs.map(({ reported }) => reported.run)
      : (databases?.report.agents.map(({ agent: { model, method } }) => `${model}, ${method}`) ??
        []);
  return names.length > mostNames
    ? `${names.length} ${runs.length > 0 ? 'runs' : 'agents over databases'}`
    : names.join(' · ');
}

/** The sections of a run, in order. */
const sections: readonly {
  readonly id: string;
  readonly name: string;
  readonly content: (run: RunWithPlots) => Markup;
}[] = [
  {
    id: 'score',
    name: 'Score',
    content: ({ reported }) =>
      markup`${headlineMarkup(reported.ledger)}\n${factsSection({ ...reported, results: resultsIn(reported.answers) })}`,
  },
  {
    id: 'ledger',
    name: 'Ledger',
    content: ({ reported }) => sectionContent(ledgerSection(reported.ledger)),
  },
  { id: 'plots', name: 'Plots', content: ({ plots }) => markup`<div class="plots">${plots}</div>` },
];

/** The section of a run; with several runs, it has the run's name as a heading. */
function runSection(run: RunWithPlots, at: number, several: boolean): Markup {
  const { reported } = run;
  return markup`<section aria-label="Run ${reported.run}">
${several ? markup`<h2 id="run-${at}">${reported.run}</h2>\n` : null}${statusNote(endedNote(reported))}${sections.map(
    ({ id, name, content }) => markup`${sectionHeading(`${id}-${at}`, name, several)}
${content(run)}
`,
  )}</section>
`;
}

const sectionHeading = (id: string, name: string, several: boolean): Markup =>
  several ? markup`<h3 id="${id}">${name}</h3>` : markup`<h2 id="${id}">${name}</h2>`;

const statusNote = (note: string | null): Markup | null =>
  note === null ? null : markup`<p class="note">${note}.</p>\n`;

export function comparisonBody(comparison: RunComparison, made: MadePage): Markup {
  const { baseline } = comparison;
  return sectionsPage({
    kind: 'turnwise comparison',
    title: `${runsOf(comparison)
      .slice(1)
      .map(({ run }) => run)
      .join(', ')} against ${baseline.run}`,
    sections: comparisonSections(comparison),
    made,
  });
}

/** The content of the page of an evaluation. */
interface EvaluationOnPage {
  readonly evaluation: Evaluation;
  readonly comparison: EvaluationComparison;
  readonly spent: Amount;
}

export function evaluationBody(
  { evaluation, comparison, spent }: EvaluationOnPage,
  made: MadePage,
): Markup {
  return sectionsPage({
    kind: 'turnwise evaluation',
    title: evaluation.name,
    sections: evaluationSections(comparison, [evaluationWords(evaluation, comparison, spent)]),
    made,
  });
}
