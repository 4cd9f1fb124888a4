import { instantText } from '../../../domain/formats/text.js';
import type { DatabaseReport } from '../../runs/database-qa/database-report.js';
import { publishedNote, reportTables } from '../database-qa/report-tables.js';
import { databaseQuestions } from './database-questions.js';
import { pageFrame } from './document.js';
import { markup, type Markup } from './markup.js';
import { sectionMarkup } from './section-markup.js';

/** More agents are only counted in the title. */
const mostNames = 3;

/**
 * The tables and figures about answers over databases, beside the published values.
 *
 * @param plots - of Figures 3 to 5
 * @param remarks - notes about what the page leaves out
 */
export function databaseBody(
  { tables, agents, runs, notes }: DatabaseReport,
  plots: readonly Markup[],
  { madeAt, remarks }: { readonly madeAt: string; readonly remarks: readonly string[] },
): Markup {
  const shown = reportTables(tables);
  const uuids = new Set(agents.flatMap(({ answers }) => answers.map(({ uuid }) => uuid)));
  const inNoRun = runs.length === 0;
  return pageFrame({
    kind: `turnwise report on database questions, made ${instantText(madeAt)}`,
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
    remarks: inNoRun
      ? ['These answers were made elsewhere: the page has their figures, not their texts.']
      : remarks,
    questions: inNoRun ? markup`` : databaseQuestions(runs, uuids),
  });
}
