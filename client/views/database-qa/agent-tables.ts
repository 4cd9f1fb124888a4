import type { AgentFigures, Measure } from '../../../domain/runs/database-qa/agent-figures.js';
import type { DatasetFigures } from '../../../domain/runs/database-qa/dataset-figures.js';
import type { PairedModes } from '../../../domain/runs/database-qa/database-tables.js';
import { categories, type Category } from '../../../domain/scoring/dataset-item.js';
import published from './published-values.json' with { type: 'json' };
import {
  agentCells,
  agentName,
  decimal,
  nothing,
  pairText,
  publishedPair,
  rangeText,
  source,
  type Cell,
  type ReportTable,
  type Row,
} from './report-table.js';

/** Table 1. */
export function datasetTable(figures: DatasetFigures): ReportTable {
  const { table1 } = published;
  const both = ({ perTable, perDatabase }: DatasetFigures['columns']): string =>
    `${short(perTable)} a table, ${short(perDatabase)} a database`;
  const published1 = (value: number): string => String(value);
  return {
    id: 'table-1',
    title: 'Table 1: the dataset',
    notes: [
      `${figures.databases === 1 ? 'The medians are of one database' : `The medians are over ${figures.databases} databases`}. The paper does not say whether it counts columns and records by table or by database.`,
      ...(figures.withoutCategory > 0
        ? [`${figures.withoutCategory} questions have no category.`]
        : []),
    ],
    heads: ['', 'here', source(table1)],
    names: 1,
    parts: [
      {
        source: null,
        rows: [
          ['questions', String(figures.size), published1(table1.size)],
          [
            'conclusive / interpretive',
            pairText((category) => String(figures[category])),
            `${table1.conclusive} / ${table1.interpretive}`,
          ],
          [
            'mean length of gold answers, words, C / I',
            pairText((category) => decimal(figures.referenceWords[category], 0)),
            table1.referenceLength.join(' / '),
          ],
          ['median tables a database', short(figures.tables), published1(table1.tables)],
          ['median columns', both(figures.columns), published1(table1.columns)],
          ['median records', both(figures.records), published1(table1.records)],
        ],
      },
    ],
  };
}

/** `4`, `21.5`. */
const short = (value: number | null): string =>
  value === null ? nothing : String(Number(value.toFixed(1)));

/** Table 2. */
export function agentsTable(agents: readonly AgentFigures[]): ReportTable {
  const mean = (agent: AgentFigures, name: Measure | 'match', digits = 2): Cell => ({
    text: pairText((category) => decimal(agent[category][name], digits)),
    under: pairText((category) => rangeText(agent[category].intervals[name], digits) || nothing),
  });
  const count = (agent: AgentFigures, name: 'answered' | 'scored', of: 'questions' | 'answered') =>
    pairText((category) => `${agent[category][name]} of ${agent[category][of]}`);
  return {
    id: 'table-2',
    title: 'Table 2: the agents',
    notes: [
      'Pairs are conclusive / interpretive: the match rate from 0 to 1, the match score from 1 to 5. The second line is the 95 % interval.',
      'Means are over answered questions, the match over scored ones. A valid query runs without error and returns rows; an executable one runs without error.',
      'Lengths are in words. The paper names no unit for its lengths.',
      ...agents.flatMap(agentNotes),
    ],
    heads: [
      ...['LLM', 'mode', 'answered', 'scored', 'match', 'plan length', '# generated', '# valid'],
      ...['# executable', 'answer length', 'plan tokens', 'answer tokens', 'without interaction'],
    ],
    names: 2,
    parts: [
      {
        source: null,
        rows: agents.map((agent) => [
          ...agentCells(agent),
          count(agent, 'answered', 'questions'),
          count(agent, 'scored', 'answered'),
          mean(agent, 'match'),
          mean(agent, 'planWords', 0),
          mean(agent, 'generated'),
          mean(agent, 'valid'),
          mean(agent, 'executable'),
          mean(agent, 'answerWords', 0),
          mean(agent, 'planTokens', 0),
          mean(agent, 'answerTokens', 0),
          pairText((category) => String(agent[category].withoutInteraction)),
        ]),
      },
      {
        source: source(published.table2),
        rows: published.table2.rows.map((row) => [
          ...[row.model, row.method, '', ''],
          publishedPair(row.match, 2),
          publishedPair(row.planLength, 0),
          publishedPair(row.generated, 2),
          publishedPair(row.valid, 2),
          '',
          publishedPair(row.answerLength, 0),
          ...['', '', ''],
        ]),
      },
    ],
  };
}

function agentNotes(agent: AgentFigures): readonly string[] {
  const total = (of: (category: Category) => number): number =>
    categories.reduce((sum, category) => sum + of(category), 0);
  const reasons = categories.flatMap((category) =>
    Object.entries(agent[category].reasons).map(
      ([reason, count]) => `${count} ${category} ${reason}`,
    ),
  );
  const notes = [
    [total((category) => agent[category].failed), 'ended for outside reasons and enter no mean'],
    [total((category) => agent[category].capped), 'were answered at the limit of turns'],
    [agent.withoutCategory, 'have no category and are in no column'],
  ] as const;
  const texts = [
    ...(reasons.length > 0 ? [`without a score: ${reasons.join(', ')}`] : []),
    ...notes.flatMap(([count, text]) => (count > 0 ? [`${count} ${text}`] : [])),
  ];
  return texts.length > 0 ? [`${agentName(agent)}: ${texts.join('; ')}.`] : [];
}

/** Table 3, or other pairs in its form. */
export function pairsTable(
  pairs: readonly PairedModes[],
  kind: {
    readonly id: string;
    readonly title: string;
    readonly source?: typeof published.table3;
  },
): ReportTable {
  const rows = pairs.map((pair): Row => {
    const cell = (of: (category: Category) => string): string => pairText(of);
    return [
      ...agentCells(pair),
      pair.baseline.run === null
        ? pair.baseline.method
        : { text: pair.baseline.method, under: pair.baseline.run },
      cell((category) => String(pair[category].common)),
      cell((category) => String(pair[category].scored)),
      cell((category) => decimal(pair[category].match)),
      cell((category) => decimal(pair[category].baselineMatch)),
      {
        text: cell((category) => signed(pair[category].difference)),
        under: cell((category) => rangeText(pair[category].interval) || nothing),
      },
    ];
  });
  return {
    id: kind.id,
    title: kind.title,
    notes: [
      'Over the items that both agents answered and that have a score in both. The difference is paired; its 95 % interval is from the bootstrap.',
    ],
    heads: [
      'LLM',
      'mode',
      'against',
      'common items',
      'scored',
      'match',
      'match of the other',
      'difference',
    ],
    names: 3,
    parts: [
      { source: null, rows },
      ...(kind.source
        ? [{ source: source(kind.source), rows: publishedPairs(kind.source.rows) }]
        : []),
    ],
  };
}

const signed = (value: number | null): string =>
  value === null ? nothing : `${value > 0 ? '+' : ''}${decimal(value)}`;

/** Each published mode beside the one without interaction of the same model. */
const publishedPairs = (rows: typeof published.table3.rows): readonly Row[] =>
  rows
    .filter(({ method }) => method !== 'no-interaction')
    .map(({ model, method, match }) => {
      const other = rows.find((row) => row.model === model && row.method === 'no-interaction');
      return [
        ...[model, method, 'no-interaction', '', ''],
        publishedPair(match, 2),
        publishedPair(other?.match ?? [], 2),
        '',
      ];
    });
