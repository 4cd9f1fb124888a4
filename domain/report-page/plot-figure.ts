import { columnHead, numberCell, numberHead, rowHead } from './columns.js';
import { markup, type Markup } from './markup.js';

/** A plot in words and figures, for those who do not see it and for those who want to know exactly. */
export interface PlotText {
  readonly title: string;
  /** What it shows, in a sentence or two. */
  readonly words: string;
  /** Heads of its columns, the first one over names, the others over numbers. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** @param picture - SVG; null where there is nothing to be drawn */
export const plotFigure = (
  { title, words, heads, rows }: PlotText,
  picture: Markup | null,
  level: 3 | 4,
): Markup => markup`<figure>
<figcaption>${level === 3 ? markup`<h3>${title}</h3>` : markup`<h4>${title}</h4>`}<p>${words}</p></figcaption>
${picture && markup`<div role="img" aria-label="${title}: ${words}">${picture}</div>`}
${rows.length > 0 ? figuresTable(heads, rows) : null}
</figure>
`;

const figuresTable = (
  [first = '', ...heads]: readonly string[],
  rows: PlotText['rows'],
): Markup => markup`<details><summary>in figures</summary><table class="small">
<thead><tr>${columnHead(first)}${heads.map(numberHead)}</tr></thead>
<tbody>${rows.map(([name = '', ...cells]) => markup`<tr>${rowHead(name)}${cells.map(numberCell)}</tr>`)}</tbody></table></details>`;
