import { grouped } from '../../../../domain/formats/text.js';
import type { RunTools } from '../../../../domain/runs/run-figures.js';
import { colours, type Plot, type PlottedRun } from './draw.js';

const classesShown = 15;

/** Failures of tools and unreadable replies, by class; null if they are not stored. */
export function toolErrorsPlot({ reported: { tools } }: PlottedRun): Plot | null {
  if (tools === null) return null;
  const errors = errorClasses(tools);
  const total = errors.reduce((sum, { count }) => sum + count, 0);
  const shown = errors.slice(0, classesShown);
  const empty = `${grouped(tools.emptyResults)} statements and searches found nothing, ${grouped(tools.repeatedQueries)} were exact repetitions.`;
  return {
    text: {
      title: 'Tool errors',
      words: `${
        errors[0]
          ? `${grouped(total)} in all, most of them ${errors[0].name} (${grouped(errors[0].count)}). `
          : 'No tool failed, and every reply could be read. '
      }${empty}`,
      heads: ['error', 'number'],
      rows: errors.map(({ name, count }) => [name, grouped(count)]),
    },
    drawing:
      shown.length === 0
        ? null
        : {
            width: 260,
            height: { step: 20 },
            data: { values: shown },
            mark: { type: 'bar', color: colours.accent, height: { band: 0.7 } },
            encoding: {
              y: { field: 'name', type: 'nominal', sort: null, title: null },
              x: {
                field: 'count',
                type: 'quantitative',
                title: 'errors',
                axis: { tickMinStep: 1, tickCount: 5 },
              },
            },
          },
  };
}

const errorClasses = (
  tools: RunTools,
): readonly { readonly name: string; readonly count: number }[] =>
  Object.entries({
    SQL: tools.sqlErrors,
    search: tools.searchErrors,
    picture: tools.imageErrors,
    calculation: tools.calculationErrors,
    reply: tools.parseErrors,
  })
    .flatMap(([tool, counts]) =>
      Object.entries(counts).map(([name, count]) => ({ name: `${tool}, ${name}`, count })),
    )
    .sort((a, b) => b.count - a.count);
