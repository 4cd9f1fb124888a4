import type { DatabaseReport } from '../../runs/database-qa/database-report.js';
import { type Cell, type ReportTable } from '../database-qa/report-cells.js';
import { publishedNote, reportTables } from '../database-qa/report-tables.js';
import { databaseQuestions } from './database-questions.js';
import { pageFrame } from './document.js';
import { columnHead, instantText, markup, numberHead, type Markup } from './markup.js';

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
    content: markup`${[...notes, publishedNote].map((note) => markup`<p class="note">${note}</p>\n`)}${shown.map(tableSection)}
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

const tableSection = ({
  id,
  title,
  notes,
  heads,
  names,
  parts,
}: ReportTable): Markup => markup`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<div class="wide"><table class="report-table">
<caption class="unseen">${title}</caption>
<thead><tr>${heads.map((head, at) => (at < names ? columnHead(head) : numberHead(head)))}</tr></thead>
${parts
  .filter(({ rows }) => rows.length > 0)
  .map(
    ({ source, rows }) =>
      markup`<tbody${source === null ? null : markup` class="published"`}>${source === null ? null : markup`<tr><th scope="rowgroup" colspan="${heads.length}">${source}</th></tr>`}
${rows.map((row) => markup`<tr>${row.map((cell, at) => tableCell(cell, at, names))}</tr>\n`)}</tbody>`,
  )}
</table></div>
${notes.map((note) => markup`<p class="faint">${note}</p>\n`)}</section>
`;

function tableCell(cell: Cell, at: number, names: number): Markup {
  const content =
    typeof cell === 'string'
      ? markup`${cell}`
      : markup`${cell.text}<span class="under">${cell.under}</span>`;
  if (at === 0) return markup`<th scope="row">${content}</th>`;
  return at < names ? markup`<td>${content}</td>` : markup`<td class="n">${content}</td>`;
}
