import { decimals, joined } from '../../../domain/formats/text.js';
import type { ScoreLedger } from '../../../domain/scoring/score-ledger.js';
import { headlineWords } from '../sections/ledger.js';
import { cellText, type Cell, type Row, type Section, type Table } from '../sections/section.js';
import { markup, type Markup } from './markup.js';
import { runFacts, type FactsOfRun } from '../sections/run.js';

/** The most rows of a table in a page. */
const rowsShown = 100;
/** A table with more columns stands alone, and is scrolled. */
const narrow = 6;

const sectionMarkup = (section: Section): Markup =>
  markup`<section aria-labelledby="${section.id}"><h2 id="${section.id}">${section.title}</h2>
${sectionContent(section)}</section>
`;

export const sectionsMarkup = (sections: readonly Section[]): Markup =>
  markup`${sections.map(sectionMarkup)}`;

/** A run's score on each scale in large figures, with what is to be said about it. */
export const headlineMarkup = ({ headlines }: ScoreLedger): Markup =>
  markup`${headlines.map(
    (headline) => markup`<div class="headline">
<p class="score"><span class="number">${headline.score ? decimals(headline.score.mean) : 'no score'}</span></p>
<div>
${headlineWords(headline).map((words) => markup`<p>${words}.</p>\n`)}</div>
</div>
`,
  )}`;

/** A section without its heading. */
export function sectionContent({ words, notes, tables, tone }: Section): Markup {
  const isWide = ({ heads }: Table): boolean => heads.length > narrow;
  const small = tables.filter((table) => !isWide(table));
  return markup`${words.map((each) => markup`<p class="${joined(' ', 'verdict-words', tone)}">${each}.</p>\n`)}${notes.map((note) => markup`<p class="note">${note}</p>\n`)}${small.length > 0 ? markup`<div class="tables">${small.map((table) => tableMarkup(table))}</div>\n` : null}${tables.filter(isWide).map((table) => markup`<div class="wide" tabindex="0">${tableMarkup(table, 'report-table')}</div>\n`)}${tables.flatMap(({ legend = [] }) => legend).map((each) => markup`<p class="faint">${each}</p>\n`)}`;
}

/** Without a caption if that is empty. */
export function tableMarkup(table: Table, kind: 'small' | 'report-table' = 'small'): Markup {
  const { caption, heads, names, rows, published } = table;
  const shown = table.isList ? rows : rows.slice(0, rowsShown);
  const rest = rows.length - shown.length;
  const title = rest > 0 ? `${caption}, without ${rest} more rows` : caption;
  return markup`<table class="${kind}">${title === '' ? null : markup`<caption>${title}</caption>`}
<thead><tr>${heads.map((head, at) => (at < names ? columnHead(head) : numberHead(head)))}</tr></thead>
<tbody>${rowsMarkup(shown, names)}</tbody>${
    published
      ? markup`
<tbody class="published"><tr><th scope="rowgroup" colspan="${heads.length}">${published.source}</th></tr>${rowsMarkup(published.rows, names)}</tbody>`
      : null
  }</table>
`;
}

const rowsMarkup = (rows: readonly Row[], names: number): readonly Markup[] =>
  rows.map(
    (row) => markup`<tr>${row.map((cell, at) => cellMarkup(cellContent(cell), at, names))}</tr>\n`,
  );

function cellContent(cell: Cell): Markup {
  if (cell === null || typeof cell !== 'object') return markup`${cellText(cell)}`;
  const { text, under, tone } = cell;
  return markup`${tone ? markup`<span class="${tone}">${text}</span>` : text}${under === '' ? null : markup`<span class="under">${under}</span>`}`;
}

function cellMarkup(content: Markup, at: number, names: number): Markup {
  if (at === 0) return markup`<th scope="row">${content}</th>`;
  return at < names ? markup`<td>${content}</td>` : markup`<td class="n">${content}</td>`;
}

export const factsSection = (reported: FactsOfRun): Markup => factsMarkup(runFacts(reported));

/** Names and their values. */
export const factsMarkup = (facts: readonly (readonly [name: string, value: string])[]): Markup =>
  markup`<dl class="facts">
${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;

/** A column heading. */
const columnHead = (name: string): Markup =>
  name === '' ? markup`<td></td>` : markup`<th scope="col">${name}</th>`;

/** The heading of a column of numbers, aligned right. */
const numberHead = (name: string): Markup =>
  name === '' ? columnHead(name) : markup`<th scope="col" class="n">${name}</th>`;
