import { grouped } from '../../../domain/grouped.js';
import { shortDuration } from '../../../domain/report-page/figures.js';
import { callsInFlight } from '../../../domain/report-page/plots/calls-in-flight.js';
import { colours } from './draw.js';
import type { Plot, PlottedRun } from './plot.js';

/** Parts that a run's time is divided into. */
const parts = 150;
const rowsShown = 15;

/** Null where no call is stored. */
export function callsPlot({ calls }: PlottedRun): Plot | null {
  const over = callsInFlight(calls, parts);
  if (over === null) return null;
  const { stepMs, most } = over;
  const lengthMs = stepMs * parts;
  const [unit, unitMs] =
    lengthMs > 3 * 3_600_000
      ? (['hours', 3_600_000] as const)
      : lengthMs > 180_000
        ? (['minutes', 60_000] as const)
        : (['seconds', 1000] as const);
  const step = parts / rowsShown;
  return {
    text: {
      title: 'Calls in flight',
      words: `Model calls under way at once, from the first to the last of them, ${shortDuration(lengthMs)} later: at most ${grouped(Math.max(...most))}.`,
      heads: ['from', 'at most'],
      rows: Array.from({ length: rowsShown }, (_, at) => [
        shortDuration(at * step * stepMs),
        grouped(Math.max(...most.slice(at * step, (at + 1) * step))),
      ]),
    },
    drawing: {
      height: 140,
      data: { values: most.map((inFlight, at) => ({ time: (at * stepMs) / unitMs, inFlight })) },
      mark: {
        type: 'area',
        interpolate: 'step-after',
        color: colours.soft,
        opacity: 1,
        line: { color: colours.accent, strokeWidth: 1 },
      },
      encoding: {
        x: { field: 'time', type: 'quantitative', title: `${unit} since the first call` },
        y: {
          field: 'inFlight',
          type: 'quantitative',
          title: 'calls',
          axis: { tickMinStep: 1, tickCount: 4 },
        },
      },
    },
  };
}
