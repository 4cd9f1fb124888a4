import type { Config, TopLevelSpec } from 'vega-lite';
import type { rangeOf, Scale } from '../../../../domain/scoring/verdict.js';
import { visibleText } from '../../../../domain/formats/text.js';
import { markup, trustedMarkup, type Markup } from '../markup.js';
import { tableMarkup } from '../section-markup.js';
import type { ReportedRun } from '../../../runs/reported-run.js';

/** The start and end of a call, in milliseconds since 1970. */
export interface CallSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** A Vega-Lite specification. Width, fonts and colours have defaults. */
type Drawing = TopLevelSpec;

/** Colours of the page's style, so that plots follow its light or dark mode. */
export const colours = {
  accent: 'var(--accent)',
  soft: 'var(--accent-soft)',
  line: 'var(--line)',
  faint: 'var(--faint)',
  ink: 'var(--ink)',
} as const;

/** An axis of values in a range. */
export const valueAxis = ({ least, most }: (typeof rangeOf)[Scale]): ValueAxis => ({
  field: 'value',
  type: 'quantitative',
  scale: { domain: [least, most] },
});

interface ValueAxis {
  field: string;
  type: 'quantitative';
  scale: { domain: number[] };
}

interface Layer {
  mark: {
    type: 'rule' | 'point';
    color: string;
    strokeWidth?: number;
    filled?: boolean;
    size?: number;
    opacity?: number;
  };
  encoding: Record<string, object>;
}

/** Layers of points at `value`, each on a line from `low` to `high`. @param others - what else places them */
export const pointsWithIntervals = (
  along: 'x' | 'y',
  axis: ValueAxis,
  title: string,
  others: Record<string, object> = {},
): Layer[] => [
  {
    mark: { type: 'rule', color: colours.accent, strokeWidth: 1.5 },
    encoding: {
      ...others,
      [along]: { ...axis, field: 'low', title },
      [`${along}2`]: { field: 'high' },
    },
  },
  {
    mark: { type: 'point', filled: true, size: 50, color: colours.accent, opacity: 1 },
    encoding: { ...others, [along]: axis },
  },
];

const config: Config = {
  background: 'transparent',
  font: 'inherit',
  // The figure around the plot has a text for screen readers.
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

/** Draws SVG without links, scripts or style sheets. */
export async function draw(drawing: Drawing): Promise<Markup> {
  // Loaded only when needed: loading the two takes as long as most commands run.
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

/** The data of a run's plots. */
export interface PlottedRun {
  readonly reported: ReportedRun;
  /** The model calls of all stored turns; for repeated calls, the last attempt. */
  readonly calls: readonly CallSpan[];
}

export interface Plot {
  readonly text: PlotText;
  /** Null if there is nothing to draw. */
  readonly drawing: Drawing | null;
}

/** A plot as text and table, for screen readers and for exact figures. */
interface PlotText {
  readonly title: string;
  /** A description in a sentence or two. */
  readonly words: string;
  /** The column headings: names first, then numbers. */
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** @param picture - SVG; null if there is nothing to draw */
export const plotFigure = (
  { title, words, heads, rows }: PlotText,
  picture: Markup | null,
  level: 3 | 4,
): Markup => markup`<figure>
<figcaption>${level === 3 ? markup`<h3>${title}</h3>` : markup`<h4>${title}</h4>`}<p>${words}</p></figcaption>
${picture && markup`<div role="img" aria-label="${title}: ${words}">${picture}</div>`}
${rows.length > 0 ? markup`<details><summary>in figures</summary>${tableMarkup({ caption: '', heads, names: 1, rows })}</details>` : null}
</figure>
`;
