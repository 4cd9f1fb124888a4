import type { Config, TopLevelSpec } from 'vega-lite';
import { trustedMarkup, type Markup } from '../../../domain/report-page/markup.js';
import { visibleText } from '../../../domain/report-page/visible-text.js';

/** What is drawn; size, fonts and colours are those of all plots unless it says otherwise. */
export type Drawing = TopLevelSpec;

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
