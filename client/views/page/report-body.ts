import { resultsIn } from '../../../domain/scoring/answer.js';
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

export function reportBody(runs: readonly RunWithPlots[], made: MadePage): Markup {
  const several = runs.length > 1;
  const compared = comparedSections(runs.map(({ reported }) => reported));
  return pageFrame({
    kind: 'turnwise report',
    title: runs.map(({ reported }) => reported.run).join(', '),
    links: several
      ? [
          ...compared.map(({ id, title }) => ({ id, name: title })),
          ...runs.map(({ reported }, at) => ({ id: `run-${at}`, name: reported.run })),
        ]
      : sections.map(({ id, name }) => ({ id: `${id}-0`, name })),
    content: markup`${sectionsMarkup(compared)}${runs.map((run, at) => runSection(run, at, several))}`,
    made,
  });
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
