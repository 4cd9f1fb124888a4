import type { DatabaseReport } from '../../runs/database-qa/database-report.js';
import { publishedNote, reportTables } from '../database-qa/report-tables.js';
import { pageFrame, type MadePage } from './document.js';
import { markup, type Markup } from './markup.js';
import { sectionMarkup } from './section-markup.js';

/** More agents are only counted in the title. */
const mostNames = 3;

/**
 * The tables and figures about answers over databases, beside the published values.
 *
 * @param plots - of Figures 3 to 5
 */
export function databaseBody(
  { tables, agents, notes }: DatabaseReport,
  plots: readonly Markup[],
  made: MadePage,
): Markup {
  const shown = reportTables(tables);
  return pageFrame({
    kind: 'turnwise report on database questions',
    title:
      agents.length > mostNames
        ? `${agents.length} agents over databases`
        : agents
            .map(({ agent: { run, model, method } }) => run ?? `${model}, ${method}`)
            .join(' · '),
    links: [
      ...shown.map(({ id, title }) => ({ id, name: title })),
      { id: 'figures', name: 'Figures' },
    ],
    content: markup`${[...notes, publishedNote].map((note) => markup`<p class="note">${note}</p>\n`)}${shown.map(sectionMarkup)}
<section aria-labelledby="figures"><h2 id="figures">Figures</h2>
<div class="plots">${plots}</div>
</section>
`,
    made,
  });
}
