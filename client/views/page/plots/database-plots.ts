import {
  scaleOfCategory,
  type Average,
} from '../../../../domain/runs/database-qa/agent-figures.js';
import type {
  DatabaseTables,
  ValidQueryBins,
} from '../../../../domain/runs/database-qa/database-tables.js';
import type { Agent } from '../../../../domain/runs/database-qa/answer-record.js';
import { categories, type Category } from '../../../../domain/scoring/dataset-item.js';
import { rangeOf } from '../../../../domain/scoring/verdict.js';
import { agentName, decimal, rangeText } from '../../database-qa/report-cells.js';
import { colours, pointsWithIntervals, valueAxis, type Plot } from './draw.js';
import published from '../../database-qa/published-values.json' with { type: 'json' };

/** Figures 3 to 5 of the paper, those for which there are data. Conclusive and interpretive questions are in plots of their own. */
export const databasePlots = ({
  figure3,
  figure4,
  figure5,
}: Pick<DatabaseTables, 'figure3' | 'figure4' | 'figure5'>): readonly Plot[] => [
  ...categories.flatMap((category) => matchPlot(figure3, category) ?? []),
  ...figure4.flatMap((bins) => validQueriesPlot(bins) ?? []),
  ...outcomesPlot(figure5),
];

const measureOf: Readonly<Record<Category, string>> = {
  conclusive: 'match rate',
  interpretive: 'match score',
};

const nameAxis = {
  field: 'name',
  type: 'nominal',
  sort: null,
  title: null,
  axis: { labelLimit: 500 },
} as const;

/** `a-model, sequential`; with the run if there are several of these. */
const plotName = (agent: Agent, all: readonly Agent[]): string => {
  const name = `${agent.model}, ${agent.method}`;
  const isShared =
    new Set(
      all.flatMap(({ run, model, method }) =>
        model === agent.model && method === agent.method ? [run] : [],
      ),
    ).size > 1;
  return isShared ? `${name}, ${agent.run ?? ''}` : name;
};

interface Point {
  readonly name: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const pointOf = (name: string, { mean, interval }: Average): readonly Point[] =>
  mean === null
    ? []
    : [{ name, value: mean, low: interval?.low ?? mean, high: interval?.high ?? mean }];

/** The published agent that never questioned the database. */
const publishedGuess = { model: 'Mistral-7b', method: 'iterative' };

function matchPlot(figure: DatabaseTables['figure3'], category: Category): Plot | null {
  const at = categories.indexOf(category);
  const ours = figure.agents.flatMap((agent) =>
    pointOf(plotName(agent, figure.agents), agent[category]),
  );
  if (ours.length === 0) return null;
  const theirs = published.table2.rows.map(({ model, method, match }) => ({
    name: `${model}, ${method}`,
    value: match[at] ?? NaN,
    isGuess: model === publishedGuess.model && method === publishedGuess.method,
  }));
  const guess = figure.baseline?.[category].mean ?? null;
  const theirGuess = theirs.find(({ isGuess }) => isGuess)?.value ?? NaN;
  const x = valueAxis(rangeOf[scaleOfCategory(category)]);
  const y = nameAxis;
  const ruleAt = (datum: number, strokeDash: number[], color: string) => ({
    mark: { type: 'rule' as const, strokeDash, color },
    encoding: { x: { datum, type: x.type, scale: x.scale } },
  });
  return {
    text: {
      title: `Fig. 3: ${measureOf[category]}, ${category} questions`,
      words: `Filled: ours, with 95 % intervals. Hollow: published, ${published.table2.source}. ${
        figure.baseline && guess !== null
          ? `The dashed line is the guess baseline ${agentName(figure.baseline)}, ${decimal(guess)}; it has ${decimal(figure.baseline.validQueries)} valid queries a question. `
          : 'None of our agents is a guess baseline. '
      }The dotted line is the published one, ${publishedGuess.model} ${publishedGuess.method}, ${decimal(theirGuess)}.`,
      heads: ['agent', measureOf[category], '95 % interval'],
      rows: [
        ...figure.agents.map((agent) => [
          `${agentName(agent)}${agent.nearGuess.includes(category) ? ', no better than a guess' : ''}`,
          decimal(agent[category].mean),
          rangeText(agent[category].interval),
        ]),
        ...theirs.map(({ name, value }) => [`${name} (published)`, decimal(value), '']),
      ],
    },
    drawing: {
      width: 260,
      height: { step: 17 },
      data: {
        values: [
          ...ours.map((point) => ({ ...point, by: 'ours' })),
          // The space keeps a published agent apart from one of ours with the same name.
          ...theirs.map(({ name, value }) => ({ name: `${name} `, value, by: 'published' })),
        ],
      },
      layer: [
        ruleAt(theirGuess, [2, 3], colours.faint),
        ...(guess === null ? [] : [ruleAt(guess, [6, 4], colours.accent)]),
        ...pointsWithIntervals('x', x, measureOf[category], { y }).map((layer) => ({
          transform: [{ filter: "datum.by === 'ours'" }],
          ...layer,
        })),
        {
          transform: [{ filter: "datum.by === 'published'" }],
          mark: { type: 'point', filled: false, size: 40, color: colours.faint, opacity: 1 },
          encoding: { y, x },
        },
      ],
    },
  };
}

const correlationNames = {
  'point-biserial': 'The point-biserial correlation',
  spearman: 'Spearman’s rank correlation',
} as const;

function validQueriesPlot({ category, bins, correlation }: ValidQueryBins): Plot | null {
  if (bins.length === 0) return null;
  const label = ({ valid, count }: (typeof bins)[number]): string => `${valid} (${count})`;
  const order = bins.map(label);
  const y = valueAxis(rangeOf[scaleOfCategory(category)]);
  const x = {
    field: 'name',
    type: 'ordinal',
    sort: order,
    title: 'valid queries (answers)',
    axis: { labelAngle: 0 },
  } as const;
  return {
    text: {
      title: `Fig. 4: ${measureOf[category]} by valid queries, ${category} questions`,
      words: `Means over the scored answers with so many valid queries, with 95 % intervals. ${
        correlation
          ? `${correlationNames[correlation.kind]} is ${decimal(correlation.value)}${correlation.interval ? `, 95 % interval ${rangeText(correlation.interval)}` : '; there are too few questions for its interval'}.`
          : 'Nothing varies, so there is no correlation.'
      } The paper calls it weakly positive.`,
      heads: ['valid queries', 'answers', measureOf[category], '95 % interval'],
      rows: bins.map(({ valid, count, mean, interval }) => [
        valid,
        String(count),
        decimal(mean),
        rangeText(interval),
      ]),
    },
    drawing: {
      height: 160,
      data: { values: bins.flatMap((bin) => pointOf(label(bin), bin)) },
      layer: pointsWithIntervals('y', y, measureOf[category], { x }),
    },
  };
}

function outcomesPlot(rates: DatabaseTables['figure5']): readonly Plot[] {
  const points = rates.flatMap((row) =>
    pointOf(`${row.subTask}: ${plotName(row, rates)}`, { mean: row.rate, interval: row.interval }),
  );
  if (points.length === 0) return [];
  // The sub-tasks in their order, each with its agents.
  const sorted = [...points].sort((a, b) => subTaskAt(a.name) - subTaskAt(b.name));
  return [
    {
      text: {
        title: 'Fig. 5: outcome by sub-task',
        words:
          'The share of panels whose outcome is Perfect, with 95 % intervals. IP: interaction planning, TE: tool employment, IS: information synthesis. The paper prints no numbers for its Fig. 5.',
        heads: ['sub-task and agent', 'panels', 'perfect', '95 % interval'],
        rows: rates.map((row) => [
          `${row.subTask}, ${agentName(row)}`,
          String(row.panels),
          decimal(row.rate),
          rangeText(row.interval),
        ]),
      },
      drawing: {
        width: 260,
        height: { step: 19 },
        data: { values: sorted },
        layer: pointsWithIntervals('x', valueAxis(rangeOf.unit), 'outcome perfect', {
          y: nameAxis,
        }),
      },
    },
  ];
}

const subTaskAt = (name: string): number => ['IP', 'TE', 'IS'].indexOf(name.slice(0, 2));
