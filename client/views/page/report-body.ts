import { resultsIn } from '../../../domain/scoring/answer.js';
import type { DatabaseReport } from '../../runs/database-qa/database-report.js';
import { databaseSections } from '../database-qa/report-tables.js';
import { ledgerSection } from '../sections/ledger.js';
import { comparedSections, endedNote } from '../sections/run.js';
import { pageFrame, type MadePage } from './document.js';
import { factsSection } from './facts-section.js';
import { markup, type Markup } from './markup.js';
import type { ReportedRun } from '../../runs/reported-run.js';
import { headlineMarkup, sectionContent, sectionsMarkup } from './section-markup.js';

/** A run and its plots. */
export interface RunWithPlots {
  readonly reported: ReportedRun;
  readonly plots: readonly Markup[];
}

/** What is said of answers over databases, besides. */
export interface DatabasesOnPage {
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
