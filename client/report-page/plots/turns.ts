import { grouped } from '../../../domain/grouped.js';
import { turnCounts, turnStandings } from '../../../domain/report-page/plots/turn-counts.js';
import { percentile } from '../../../domain/questions/latencies.js';
import { colours } from './draw.js';
import type { Plot, PlottedRun } from './plot.js';

/** How many turns questions took, and what became of them; null where none has ended. */
export function turnsPlot({ reported: { samples, results } }: PlottedRun): Plot | null {
  const counts = turnCounts(samples, results);
  if (counts.length === 0) return null;
  const turns = results.map((result) => result.turns);
  const used = [...new Set(counts.map((count) => count.turns))];
  const of = (turn: number, standing: string): number =>
    counts.find((count) => count.turns === turn && count.standing === standing)?.questions ?? 0;
  return {
    text: {
      title: 'Turns',
      words: `How many questions took how many turns, by what became of them: half took ${percentile(turns, 50)} or fewer, the longest ${percentile(turns, 100)}.`,
      heads: ['turns', ...turnStandings],
      rows: used.map((turn) => [
        grouped(turn),
        ...turnStandings.map((standing) => grouped(of(turn, standing))),
      ]),
    },
    drawing: {
      height: 160,
      data: { values: counts },
      mark: { type: 'bar', stroke: 'var(--paper)', strokeWidth: 0.5 },
      encoding: {
        x: {
          field: 'turns',
          type: 'ordinal',
          title: 'turns',
          axis: { labelAngle: 0, labelOverlap: true },
        },
        y: { field: 'questions', type: 'quantitative', title: 'questions' },
        color: {
          field: 'standing',
          type: 'nominal',
          scale: {
            domain: [...turnStandings],
            range: [colours.accent, colours.soft, colours.line],
          },
        },
        order: { field: 'standing', sort: 'descending' },
      },
    },
  };
}
