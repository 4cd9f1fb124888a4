import type { PlotText } from '../../../domain/report-page/plot-figure.js';
import type { CallSpan } from '../../../domain/report-page/plots/calls-in-flight.js';
import type { ReportedRun } from '../../../domain/report-page/reported-run.js';
import type { Drawing } from './draw.js';

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
