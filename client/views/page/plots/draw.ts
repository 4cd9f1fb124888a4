import type { Config, TopLevelSpec } from 'vega-lite';
import {
  columnHead,
  markup,
  numberCell,
  numberHead,
  rowHead,
  trustedMarkup,
  visibleText,
  type Markup,
} from '../markup.js';
import type { ReportedRun } from '../reported-run.js';

/** From when to when a call was under way, in milliseconds since 1970. */
export interface CallSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** What is drawn; size, fonts and colours are those of all plots unless it says otherwise. */
type Drawing = TopLevelSpec;

/** Of the page's style, so that plots are light or dark with it. */
export const colours = {
  accent: 'var(--accent)',
  soft: 'var(--accent-soft)',
  line: 'var(--line)',
  faint: 'var(--faint)',
  ink: 'var(--ink)',
} as const;

const config: Config = {
  background: 'transparent',
  font: 'inherit',
  // The figure around it says in words what is seen.
  aria: false,
  view: { stroke: null },
  axis: {
    labelColor: colours.ink,
    titleColor: colours.faint,
    titleFontWeight: 'normal',
    titleFontSize: 12,
    labelFontSize: 12,
    gridColor: colours.line,
    domainColor: colours.faint,
    tickColor: colours.faint,
    labelLimit: 220,
  },
  legend: {
    labelColor: colours.ink,
    title: null,
    labelFontSize: 12,
    orient: 'top',
    symbolType: 'square',
  },
};

/** A drawing as SVG without an address, a script or a style of its own. */
export async function draw(drawing: Drawing): Promise<Markup> {
  // Loaded where something is drawn: the two take as long to load as most commands run.
  const [{ compile }, { parse, View }] = await Promise.all([import('vega-lite'), import('vega')]);
  const { spec } = compile({ width: 380, ...drawing, config });
  const view = new View(parse(spec), { renderer: 'none' });
  try {
    const svg = await view.toSVG();
    return trustedMarkup(visibleText(svg).replace('<svg ', '<svg aria-hidden="true" '));
  } finally {
    view.finalize();
  }
}

/** A run as its plots are made of it. */
export interface PlottedRun {
  readonly reported: ReportedRun;
  /** Of every model call of the turns that are stored; of those that were repeated, the last attempt. */
  readonly calls: readonly CallSpan[];
}

export interface Plot {
  readonly text: PlotText;
  /** Null where there is nothing to be drawn. */
  readonly drawing: Drawing | null;
}

/** A plot in words and figures, for those who do not see it and for those who want to know exactly. */
interface PlotText {
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
