import { scales, type Scale } from '../../../../domain/scoring/verdict.js';
import type { Markup } from '../markup.js';
import { callsPlot } from './calls-over-time.js';
import { draw, plotFigure, type Plot, type PlottedRun } from './draw.js';
import { latencyPlot } from './latency.js';
import { scoreByGroup } from './score-by-group.js';
import { spendingPlot } from './spending.js';
import { toolErrorsPlot } from './tool-errors.js';
import { turnsPlot } from './turns.js';

/** A plot for each scale that has scores. */
const onEachScale =
  (plot: (run: PlottedRun, scale: Scale) => Plot | null) =>
  (run: PlottedRun): readonly Plot[] =>
    scales.flatMap((scale) => plot(run, scale) ?? []);

const plots = [
  onEachScale(scoreByGroup),
  turnsPlot,
  onEachScale(spendingPlot),
  latencyPlot,
  toolErrorsPlot,
  callsPlot,
];

/** All plots for which the run has data. @param level - of their headings */
export const runPlots = (run: PlottedRun, level: 3 | 4): Promise<readonly Markup[]> =>
  plotsOf(
    plots.flatMap((plot) => plot(run)),
    level,
  );

export const plotsOf = (some: readonly (Plot | null)[], level: 3 | 4): Promise<readonly Markup[]> =>
  Promise.all(
    some
      .flatMap((plot) => plot ?? [])
      .map(async ({ text, drawing }) => plotFigure(text, drawing && (await draw(drawing)), level)),
  );
