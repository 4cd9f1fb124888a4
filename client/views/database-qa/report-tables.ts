import type {
  DatabaseTables,
  PairedModes,
  SizeFigures,
  ReviewedSubTask,
  SubTaskWorth,
} from '../../../domain/runs/database-qa/database-tables.js';
import { grouped, said } from '../../../domain/formats/text.js';
import { roundTo } from '../../../domain/statistics/rounding.js';
import { categories, type Category } from '../../../domain/scoring/dataset-item.js';
import type {
  AgentFigures,
  Measure,
  DatasetFigures,
} from '../../../domain/runs/database-qa/agent-figures.js';
import type { DatabaseReport } from '../../runs/database-qa/database-report.js';
import {
  agentCells,
  agentName,
  decimal,
  nothing,
  ownMark,
  ownNote,
  pairText,
  publishedIn,
  publishedPair,
  rangeText,
  tableSection,
} from './report-cells.js';
import { section, type Cell, type Row, type Section } from '../sections/section.js';
import {
  type Side,
  type SideFigures,
  bestMember,
  type OrderCheck,
  type SideWorth,
} from '../../../domain/scoring/review/panel-worth.js';
import type { EffectiveVotes } from '../../../domain/statistics/correlation.js';
import published from './published-values.json' with { type: 'json' };

/** Tables 1 to 4, each with the published values, and our own tables beside them. Tables without rows of ours are left out. */
export const reportTables = (tables: DatabaseTables): readonly Section[] =>
  [
    ...(tables.table1 ? [datasetTable(tables.table1)] : []),
    agentsTable(tables.table2, tables.figure3),
    sizesTable(tables.bySize),
    pairsTable(tables.table3, {
      id: 'table-3',
      title: 'Table 3: with and without interaction',
      source: published.table3,
    }),
    pairsTable(tables.modes, { id: 'modes', title: 'Modes against each other' }),
    panelsTable(tables.table4),
    panelWorthTable(tables.panelWorth, tables.table4),
  ]
    .filter(({ tables: [table] }) => (table?.rows.length ?? 0) > 0)
    .map((section) =>
      section.tables.some(({ rows }) => rows.some(([first = null]) => isOwn(first)))
        ? { ...section, notes: [...section.notes, ownNote] }
        : section,
    );

const isOwn = (agent: Cell): boolean => {
  const text = agent !== null && typeof agent === 'object' ? agent.text : agent;
  return typeof text === 'string' && text.endsWith(ownMark);
};

/** What every table says of its values. */
export const publishedNote = `Published values are those of ${published.paper}. Nothing of ours is among them.`;

/** As many decimal places as JSON has. */
const decimals = 4;

type Report = Pick<DatabaseReport, 'tables' | 'notes'>;

/** The tables, after what to know before they are read. */
export const databaseSections = ({ tables, notes }: Report): readonly Section[] => [
  section('databases', 'Answers over databases', { notes: [notes, publishedNote] }),
  ...reportTables(tables),
];

/** All tables and figures for programs: `table1` to `table4`, `figure3` to `figure5`, and what stands beside them. */
export const tablesData = ({ tables, notes }: Report): object =>
  // Of an object.
  JSON.parse(
    JSON.stringify({ ...tables, notes, published }, (_, value: unknown) =>
      typeof value === 'number' ? roundTo(value, decimals) : value,
    ),
  ) as object;

/** Table 1. */
export function datasetTable(figures: DatasetFigures): Section {
  const { table1 } = published;
  const both = ({ perTable, perDatabase }: DatasetFigures['columns']): string =>
    `${short(perTable)} a table, ${short(perDatabase)} a database`;
  const published1 = (value: number): string => String(value);
  return tableSection({
    id: 'table-1',
    title: 'Table 1: the dataset',
    legend: [
      `${figures.databases === 1 ? 'The medians are of one database' : `The medians are over ${figures.databases} databases`}. The paper does not say whether it counts columns and records by table or by database.`,
      ...(figures.withoutCategory > 0
        ? [`${figures.withoutCategory} questions have no category.`]
        : []),
    ],
    heads: ['', 'here', publishedIn(table1)],
    names: 1,
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
  });
}

/** `4`, `21.5`. */
const short = (value: number | null): string =>
  value === null ? nothing : String(Number(value.toFixed(1)));

/** A mean of each category, with its interval. */
const meanCell = (agent: AgentFigures, name: Measure | 'match', digits = 2): Cell => ({
  text: pairText((category) => decimal(agent[category][name], digits)),
  under: pairText((category) => rangeText(agent[category].intervals[name], digits) || nothing),
});

/** Table 2. */
function agentsTable(
  agents: readonly AgentFigures[],
  { agents: matches, baseline }: DatabaseTables['figure3'],
): Section {
  const count = (agent: AgentFigures, name: 'answered' | 'scored', of: 'questions' | 'answered') =>
    pairText((category) => `${agent[category][name]} of ${agent[category][of]}`);
  return tableSection({
    id: 'table-2',
    title: 'Table 2: the agents',
    legend: [
      'Pairs are conclusive / interpretive: the match rate from 0 to 1, the match score from 1 to 5. The second line is the 95 % interval.',
      'Means are over answered questions, the match over scored ones. A valid query runs without error and returns rows; an executable one runs without error.',
      'Lengths are in words. The paper names no unit for its lengths.',
      ...agents.flatMap(agentNotes),
      ...(baseline === null ? [] : matches.flatMap((match) => guessNotes(match, baseline))),
    ],
    heads: [
      ...['LLM', 'mode', 'answered', 'scored', 'match', 'plan length', '# generated', '# valid'],
      ...['# executable', 'answer length', 'plan tokens', 'answer tokens', 'without interaction'],
    ],
    names: 2,
    rows: agents.map((agent) => [
      ...agentCells(agent),
      count(agent, 'answered', 'questions'),
      count(agent, 'scored', 'answered'),
      meanCell(agent, 'match'),
      meanCell(agent, 'planWords', 0),
      meanCell(agent, 'generated'),
      meanCell(agent, 'valid'),
      meanCell(agent, 'executable'),
      meanCell(agent, 'answerWords', 0),
      meanCell(agent, 'planTokens', 0),
      meanCell(agent, 'answerTokens', 0),
      pairText((category) => String(agent[category].withoutInteraction)),
    ]),
    published: {
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
  });
}

const guessNotes = (
  { nearGuess, ...agent }: DatabaseTables['figure3']['agents'][number],
  baseline: NonNullable<DatabaseTables['figure3']['baseline']>,
): readonly string[] =>
  nearGuess.map(
    (category) =>
      `${agentName(agent)}: its ${category} match, ${decimal(agent[category].mean)}, is not above that of a guess, ${decimal(baseline[category].mean)} (${agentName(baseline)}).`,
  );

/** Table 2 in short, by the size of the databases. */
const sizesTable = (figures: readonly SizeFigures[]): Section =>
  tableSection({
    id: 'sizes',
    title: 'By size of the database',
    legend: [
      'A third of the databases each, by the rows of all their tables. Pairs are conclusive / interpretive, with 95 % intervals.',
    ],
    heads: ['LLM', 'mode', 'rows', 'databases', 'answered', 'match', '# generated', '# valid'],
    names: 2,
    rows: figures.map((agent) => [
      ...agentCells(agent),
      agent.rows.least === agent.rows.most
        ? grouped(agent.rows.least)
        : `${grouped(agent.rows.least)}–${grouped(agent.rows.most)}`,
      String(agent.databases),
      pairText((category) => `${agent[category].answered} of ${agent[category].questions}`),
      meanCell(agent, 'match'),
      meanCell(agent, 'generated'),
      meanCell(agent, 'valid'),
    ]),
  });

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
  const { majority } = agent.conclusive;
  const texts = said([
    majority !== null &&
      `the majority of the epochs matches in ${decimal(majority)} of conclusive questions`,
    reasons.length > 0 && `without a score: ${reasons.join(', ')}`,
    notes.map(([count, text]) => count > 0 && `${count} ${text}`),
  ]);
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
): Section {
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
  return tableSection({
    id: kind.id,
    title: kind.title,
    legend: [
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
    rows,
    ...(kind.source && {
      published: { source: publishedIn(kind.source), rows: publishedPairs(kind.source.rows) },
    }),
  });
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
function panelsTable(rows: readonly ReviewedSubTask[]): Section {
  const side = ({ panels, perfectRate, agreement, kappa, intervals }: SideFigures): Row => [
    String(panels),
    { text: decimal(perfectRate), under: rangeText(intervals.perfectRate) },
    { text: decimal(agreement), under: rangeText(intervals.agreement) },
    decimal(kappa),
  ];
  const guesses = rows.filter(
    ({ withoutInteraction, method }) => withoutInteraction > 0 && method !== 'no-interaction',
  );
  return tableSection({
    id: 'table-4',
    title: 'Table 4: peer review',
    legend: [
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
    rows: rows.map((row) => [
      ...agentCells(row),
      row.subTask,
      ...side(row.reviewers),
      ...side(row.metaReviewers),
      { text: decimal(row.outcomeRate), under: rangeText(row.outcomeInterval) },
      `${row.reviewed} of ${row.reviewed + row.unreviewed}`,
    ]),
    published: {
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
  });
}

/** What the panels of Table 4 are worth: their independence, and what chance or a single member would give. */
function panelWorthTable(
  rows: readonly SubTaskWorth[],
  reviewed: readonly ReviewedSubTask[],
): Section {
  return tableSection({
    id: 'panel-worth',
    title: 'What the panels are worth',
    legend: [
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
    rows: rows.map((row, at) => [
      ...agentCells(row),
      row.subTask,
      ...sideCells(row.reviewers),
      ...sideCells(row.metaReviewers),
      decimal(reviewed[at]?.outcomeRate),
      decimal(row.outcomeByChance),
      orderCell(row.orderCheck),
    ]),
  });
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
