import type {
  DatabaseTables,
  PairedModes,
  ReviewedSubTask,
  SubTaskWorth,
} from '../../../domain/runs/database-qa/database-tables.js';
import { roundTo } from '../../../domain/statistics/rounding.js';
import type { Agent } from '../../../domain/runs/database-qa/answer-record.js';
import { categories, type Category } from '../../../domain/scoring/dataset-item.js';
import type { Interval } from '../../../domain/statistics/means.js';
import type {
  AgentFigures,
  Measure,
  DatasetFigures,
} from '../../../domain/runs/database-qa/agent-figures.js';
import {
  type Side,
  type SideFigures,
  bestMember,
  type OrderCheck,
  type SideWorth,
} from '../../../domain/scoring/review/panel-worth.js';
import type { EffectiveVotes } from '../../../domain/statistics/votes.js';
import type { DatabaseReport } from '../../runs/database-qa/database-report.js';
import published from './published-values.json' with { type: 'json' };

/** Tables 1 to 4, each with the published values, and our own tables beside them. Tables without rows of ours are left out. */
export const reportTables = (tables: DatabaseTables): readonly ReportTable[] =>
  [
    ...(tables.table1 ? [datasetTable(tables.table1)] : []),
    agentsTable(tables.table2),
    pairsTable(tables.table3, {
      id: 'table-3',
      title: 'Table 3: with and without interaction',
      source: published.table3,
    }),
    pairsTable(tables.modes, { id: 'modes', title: 'Modes against each other' }),
    panelsTable(tables.table4),
    panelWorthTable(tables.panelWorth, tables.table4),
  ].filter(({ parts }) => parts.some((part) => part.source === null && part.rows.length > 0));

/** What every table says of its values. */
export const publishedNote = `Published values are those of ${published.paper}. Nothing of ours is among them.`;

/** As many decimal places as JSON has. */
const decimals = 4;

/** All tables and figures as JSON: `table1` to `table4`, `figure3` to `figure5`, and what stands beside them. */
export const tablesJson = ({ tables, notes }: Pick<DatabaseReport, 'tables' | 'notes'>): string =>
  JSON.stringify(
    { ...tables, notes, published },
    (_, value: unknown) => (typeof value === 'number' ? roundTo(value, decimals) : value),
    1,
  );

/** The tables as Markdown, each with its notes. */
export const markdownReport = ({
  tables,
  notes,
}: Pick<DatabaseReport, 'tables' | 'notes'>): string =>
  [...notes.map(escapeCell), ...reportTables(tables).map(markdownTable), publishedNote].join(
    '\n\n',
  );

function markdownTable({ title, notes, heads, names, parts }: ReportTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `## ${title}`,
    '',
    line(heads.map(escapeCell)),
    line(heads.map((_, at) => (at < names ? '---' : '---:'))),
    ...parts.flatMap(({ source, rows }) => [
      ...(source === null || rows.length === 0
        ? []
        : [line(heads.map((_, at) => (at === 0 ? `*${source}*` : '')))]),
      ...rows.map((row) => line(row.map(cellText))),
    ]),
    '',
    ...notes.map((note) => `- ${escapeCell(note)}`),
  ].join('\n');
}

const cellText = (cell: Cell): string =>
  typeof cell === 'string'
    ? escapeCell(cell)
    : escapeCell(cell.under === '' ? cell.text : `${cell.text} (${cell.under})`);

/** Names of models and runs are other people's text. */
const escapeCell = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[|\\`*_<>[\]]/g, '\\$&');

/** A table for any medium. A cell with `under` has a less important second line, such as its interval. */
export interface ReportTable {
  readonly id: string;
  readonly title: string;
  readonly notes: readonly string[];
  /** The first `names` columns are texts, the others numbers. */
  readonly heads: readonly string[];
  readonly names: number;
  /** Ours, which have no source, and the published ones. */
  readonly parts: readonly { readonly source: string | null; readonly rows: readonly Row[] }[];
}

type Row = readonly Cell[];
export type Cell = string | { readonly text: string; readonly under: string };

const nothing = '–';

/** `0.24` or `−0.24`; a dash for null. */
export const decimal = (value: number | null | undefined, digits = 2): string =>
  value?.toFixed(digits).replace('-', '−') ?? nothing;

/** `0.06–0.79`, `−0.06 to 0.79`; empty without an interval. */
export const rangeText = (interval: Interval | null, digits = 2): string =>
  interval === null
    ? ''
    : `${decimal(interval.low, digits)}${interval.low < 0 ? ' to ' : '–'}${decimal(interval.high, digits)}`;

/** `0.24 / 2.21`: conclusive and interpretive, as the paper writes every pair. */
const pairText = (of: (category: Category) => string): string => categories.map(of).join(' / ');

const agentCells = ({ run, model, method }: Agent): readonly Cell[] => [
  run === null ? model : { text: model, under: run },
  method,
];

/** The caption of published rows. */
const publishedIn = (of: { readonly source: string }): string => `published, ${of.source}`;

const publishedPair = (values: readonly number[], digits: number): string =>
  values.map((value) => value.toFixed(digits)).join(' / ');

/** `a-run (a-model, sequential)`. */
export const agentName = ({ run, model, method }: Agent): string =>
  run === null ? `${model}, ${method}` : `${run} (${model}, ${method})`;

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
    heads: ['', 'here', publishedIn(table1)],
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
function agentsTable(agents: readonly AgentFigures[]): ReportTable {
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
        source: publishedIn(published.table2),
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
function pairsTable(
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
      'Over the items that both agents answered and that have a score in both. The difference is paired; its 95 % interval is by databases.',
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
        ? [{ source: publishedIn(kind.source), rows: publishedPairs(kind.source.rows) }]
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

/** Table 4. */
function panelsTable(rows: readonly ReviewedSubTask[]): ReportTable {
  const side = ({ panels, perfectRate, agreement, kappa, intervals }: SideFigures): Row => [
    String(panels),
    { text: decimal(perfectRate), under: rangeText(intervals.perfectRate) },
    { text: decimal(agreement), under: rangeText(intervals.agreement) },
    decimal(kappa),
  ];
  const guesses = rows.filter(
    ({ withoutInteraction, method }) => withoutInteraction > 0 && method !== 'no-interaction',
  );
  return {
    id: 'table-4',
    title: 'Table 4: peer review',
    notes: [
      'IP: interaction planning, TE: tool employment, IS: information synthesis. Rates are shares of Perfect over complete panels, agreement is the share of unanimous ones. The second line is the 95 % interval.',
      ...guesses.map(
        (row) =>
          `${agentName(row)}, ${row.subTask}: ${row.withoutInteraction} panels are about answers without interaction.`,
      ),
      'The paper does not say which mode its Table 4 is about.',
    ],
    heads: [
      ...['LLM', 'mode', 'sub-task', 'reviewer panels', 'perfect', 'agreement', 'kappa'],
      ...['meta-reviewer panels', 'perfect', 'agreement', 'kappa', 'outcome perfect', 'reviewed'],
    ],
    names: 3,
    parts: [
      {
        source: null,
        rows: rows.map((row) => [
          ...agentCells(row),
          row.subTask,
          ...side(row.reviewers),
          ...side(row.metaReviewers),
          { text: decimal(row.outcomeRate), under: rangeText(row.outcomeInterval) },
          `${row.reviewed} of ${row.reviewed + row.unreviewed}`,
        ]),
      },
      {
        source: publishedIn(published.table4),
        rows: published.table4.rows.map((row) => [
          ...[row.model, '', row.subTask, ''],
          decimal(row.reviewerRate),
          decimal(row.reviewerAgreement),
          ...['', ''],
          decimal(row.metaReviewerRate),
          decimal(row.metaReviewerAgreement),
          ...['', '', ''],
        ]),
      },
    ],
  };
}

/** What the panels of Table 4 are worth: their independence, and what chance or a single member would give. */
function panelWorthTable(
  rows: readonly SubTaskWorth[],
  reviewed: readonly ReviewedSubTask[],
): ReportTable {
  return {
    id: 'panel-worth',
    title: 'What the panels are worth',
    notes: [
      'Effective votes: as many independent members decide as well as these together. By chance: if each member decided independently, with its own rate. Best member: how often it alone decides as the panel (a meta-reviewer: as the majority of the others).',
      ...worthNotes(rows),
    ],
    heads: [
      ...[
        'LLM',
        'mode',
        'sub-task',
        'reviewers, effective',
        'agreement by chance',
        'best reviewer',
      ],
      ...['meta-reviewers, effective', 'agreement by chance', 'best meta-reviewer'],
      ...['outcome perfect', 'by chance', 'order check: changed'],
    ],
    names: 3,
    parts: [
      {
        source: null,
        rows: rows.map((row, at) => [
          ...agentCells(row),
          row.subTask,
          ...sideCells(row.reviewers),
          ...sideCells(row.metaReviewers),
          decimal(reviewed[at]?.outcomeRate),
          decimal(row.outcomeByChance),
          orderCell(row.orderCheck),
        ]),
      },
    ],
  };
}

function sideCells({ votes, agreementByChance, alone }: SideWorth): Row {
  const best = bestMember(alone);
  return [
    votes?.votes == null
      ? nothing
      : { text: `${decimal(votes.votes, 1)} of ${votes.members}`, under: correlationText(votes) },
    decimal(agreementByChance),
    best === null
      ? nothing
      : { text: decimal(best.share), under: `${best.name}, ${best.panels} panels` },
  ];
}

const correlationText = ({ correlation }: EffectiveVotes): string =>
  correlation === null ? '' : `correlation ${decimal(correlation)}`;

const orderCell = (check: OrderCheck | null): Cell =>
  check === null
    ? nothing
    : {
        text: `${check.changed} of ${check.decisions}`,
        under: check.interval ? `${decimal(check.share)}, ${rangeText(check.interval)}` : '',
      };

const sideNames: Readonly<Record<Side, string>> = {
  reviewers: 'reviewers',
  metaReviewers: 'meta-reviewers',
};

const sides = ['reviewers', 'metaReviewers'] as const;

function worthNotes(rows: readonly SubTaskWorth[]): readonly string[] {
  const own = rows.flatMap((row) =>
    sides
      .filter((side) => row.ownModel[side])
      .map((side) => `${agentName(row)}: the agent’s own model is among the ${sideNames[side]}.`),
  );
  const alike = rows.flatMap((row) => {
    const names = sides.flatMap((side) => row[side].votes?.leftOut ?? []);
    return names.length === 0
      ? []
      : [
          `${agentName(row)}, ${row.subTask}: ${names.join(', ')} always decide alike, so they have no correlation and are left out.`,
        ];
  });
  return [...new Set(own), ...alike];
}
