import { counted, decimals, joined, preview, type Texts } from '../../../domain/formats/text.js';
import { costText } from '../../../domain/models/usage.js';
import { scaleLabels } from '../../../domain/scoring/verdict.js';
import type {
  CandidateComparison,
  FieldDifferences,
  RunComparison,
  Flip,
  FlipSide,
  ComparedRunSummary,
} from '../../../domain/runs/compare-runs.js';
import {
  clustersText,
  neededClusters,
  type ComparisonVerdict,
  type Difference,
} from '../../../domain/scoring/score-estimate.js';
import { meanCells, meanHeads } from './ledger.js';
import {
  figuresOf,
  section,
  unlessEmpty,
  type Cell,
  type Row,
  type Section,
  type Table,
} from './section.js';

/** The verdict of a comparison in a sentence. It claims a difference only if the comparison is decisive. */
export function comparisonWords(baseline: string, compared: CandidateComparison): string {
  const { summary, scale, verdict, difference, adjustedP } = compared;
  const on = scale === 'unit' ? '' : ' in match scores from 1 to 5';
  if (difference === null || adjustedP === null) {
    return `${summary.run} and ${baseline} cannot be compared${on}: no question has a score in both`;
  }
  const { clusters, clustersAre } = difference;
  const shown = `${signed(difference.mean)}, 95 % between ${signed(difference.interval.low)} and ${signed(difference.interval.high)}, p ${adjustedP < 0.001 ? '' : '= '}${pText(adjustedP)} by ${clustersText(clusters, clustersAre)}`;
  const little = `${clustersText(clusters, clustersAre)} rarely show a difference below ${difference.smallestDetectable.toFixed(3)}`;
  const claims: Readonly<Record<ComparisonVerdict, () => string>> = {
    better: () => `${summary.run} is better than ${baseline}${on}: ${shown}`,
    worse: () => `${summary.run} is worse than ${baseline}${on}: ${shown}`,
    'not-decisive': () =>
      difference.mean === 0
        ? `no difference: ${summary.run} scores the same as ${baseline}${on} (${shown}); ${little}`
        : `not decisive: ${summary.run} scores ${difference.mean > 0 ? 'higher' : 'lower'} than ${baseline}${on} (${shown}), which may be due to chance; ${little}`,
    'too-few': () =>
      `too few ${clustersAre} to decide, ${clusters} where ${neededClusters} are needed: ${summary.run} against ${baseline}${on} ${shown}`,
    'other-scorer': () =>
      `no verdict, since they have scores of different scorers: ${summary.run} against ${baseline}${on} ${shown}`,
    'not-comparable': () => `${summary.run} and ${baseline} cannot be compared`,
  };
  return joined('; ', claims[verdict](), overturned(compared));
}

/** A warning if the questions without a score could overturn a decisive verdict. */
function overturned({ verdict, bounds, unscored }: CandidateComparison): string | null {
  if (bounds === null || unscored === 0) return null;
  const canOverturn =
    (verdict === 'better' && bounds.worst <= 0) || (verdict === 'worse' && bounds.best >= 0);
  return canOverturn
    ? `${counted(unscored, 'question')} without a score in both could overturn it`
    : null;
}

const verdictNames: Readonly<Record<ComparisonVerdict, string>> = {
  better: 'better',
  worse: 'worse',
  'not-decisive': 'not decisive',
  'too-few': 'too few',
  'other-scorer': 'scores of different scorers',
  'not-comparable': 'no question has a score in both',
};

/** The verdict in a cell of a table. */
export const verdictCell = (compared: CandidateComparison): string =>
  joined(
    '; ',
    compared.verdict === 'too-few' && compared.difference
      ? `too few ${compared.difference.clustersAre}: ${compared.difference.clusters} of ${neededClusters}`
      : verdictNames[compared.verdict],
    overturned(compared),
  );

/** `+0.120`, `−0.031`, `0.000`. */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  if (Number(text) === 0) return text;
  return `${value > 0 ? '+' : '−'}${text}`;
}

const pText = (p: number): string => (p < 0.001 ? 'below 0.001' : p.toFixed(3));

export const pCell = (p: number | null): Cell => (p === null ? null : pText(p));

/** The verdicts with the figures behind them, and in what runs differ. */
export const comparisonSections = (comparison: RunComparison): readonly Section[] => [
  section('verdict', 'Verdict', {
    words: comparison.candidates.map((each) => comparisonWords(comparison.baseline.run, each)),
    notes: notesOf(comparison),
    tables: [
      figuresOf(
        'Each run over all of its questions',
        ['run', ...meanHeads, 'turns', 'cost'],
        runsOf(comparison).flatMap(summaryRows),
      ),
    ],
  }),
  section('differences', 'Differences', {
    tables: [
      differencesTable(comparison),
      ...comparison.candidates.flatMap((candidate) =>
        candidate.fields.map((field) =>
          fieldTable(comparison.baseline.run, nameOf(candidate), field),
        ),
      ),
    ],
  }),
];

/** The questions whose score changed. A page has a table of all questions instead. */
export const changedQuestions = ({ baseline, candidates }: RunComparison): Section =>
  section('changed', 'Changed questions', {
    tables: candidates.map((candidate) =>
      unlessEmpty(
        figuresOf(
          nameOf(candidate),
          ['question', baseline.run, nameOf(candidate), 'because of'],
          candidate.flips.map(flipRow),
          4,
        ),
      ),
    ),
  });

const notesOf = ({ candidates, remarks }: RunComparison): Texts => [
  candidates.length > 1 &&
    `p-values are corrected for ${candidates.length} comparisons, by Holm's procedure`,
  remarks,
];

/** The baseline and the other runs, each once. */
export const runsOf = ({
  baseline,
  candidates,
}: Pick<RunComparison, 'baseline' | 'candidates'>): readonly ComparedRunSummary[] => [
  ...new Map(
    [baseline, ...candidates.map(({ summary }) => summary)].map((each) => [each.run, each]),
  ).values(),
];

const summaryRows = ({ run, headlines, meanTurns, cost }: ComparedRunSummary): readonly Row[] =>
  headlines.map((headline) => [
    `${run}${scaleLabels[headline.scale]}`,
    ...meanCells(headline),
    decimals(meanTurns, 1),
    costText(cost),
  ]);

const nameOf = ({ summary, scale }: CandidateComparison): string =>
  `${summary.run}${scaleLabels[scale]}`;

function differencesTable({ baseline, candidates }: RunComparison): Table {
  const rows: readonly (readonly [string, (of: CandidateComparison) => Cell])[] = [
    ['questions with a score in both', ({ pairs }) => pairs],
    ['better', ({ difference }) => difference && difference.better],
    ['worse', ({ difference }) => difference && difference.worse],
    [
      'the same',
      ({ difference }) => difference && difference.questions - difference.better - difference.worse,
    ],
    ['difference of the means', ({ difference }) => differenceCells(difference)[0] ?? null],
    ['95 % between', ({ difference }) => differenceCells(difference)[1] ?? null],
    [
      'by',
      ({ difference }) => difference && clustersText(difference.clusters, difference.clustersAre),
    ],
    ['p', ({ adjustedP }) => pCell(adjustedP)],
    [
      'smallest detectable difference',
      ({ difference }) => decimals(difference?.smallestDetectable),
    ],
    ['without a score in both', ({ unscored }) => unscored],
    [
      'with these, between',
      ({ bounds }) => bounds && `${signed(bounds.worst)} and ${signed(bounds.best)}`,
    ],
    ['asked in only one of the runs', ({ unpaired }) => unpaired],
  ];
  return figuresOf(
    `Against ${baseline.run}`,
    [`against ${baseline.run}`, ...candidates.map(nameOf)],
    rows.map(([name, cell]) => [name, ...candidates.map(cell)]),
  );
}

const flipRow = ({ uuid, epoch, because, baseline, candidate }: Flip): Row => [
  epoch === 1 ? uuid : `${uuid} (epoch ${epoch})`,
  sideText(baseline),
  sideText(candidate),
  `${because}: ${becauseText(because, baseline, candidate)}`,
];

const sideText = ({ score, turns }: FlipSide): string =>
  `${score.toFixed(2)}${turns === null ? '' : `, ${turns} turns`}`;

function becauseText(because: Flip['because'], before: FlipSide, after: FlipSide): string {
  switch (because) {
    case 'outcome':
      return `${before.outcome ?? '–'} → ${after.outcome ?? '–'}`;
    case 'answer':
      return `${preview(before.answer ?? '–', 30)} → ${preview(after.answer ?? '–', 30)}`;
    case 'scoring':
      return preview(after.rationale ?? 'the same answer', 60);
  }
}

const fieldTable = (baseline: string, run: string, { field, groups }: FieldDifferences): Table =>
  figuresOf(
    `${run} by ${field}`,
    [field, 'questions', baseline, run, 'difference', '95 % between'],
    groups.map(({ group, difference }) => [
      group,
      difference.questions,
      decimals(difference.baselineMean),
      decimals(difference.candidateMean),
      ...differenceCells(difference),
    ]),
  );

/** A difference and its interval. */
export const differenceCells = (difference: Difference | null): Row =>
  difference
    ? [
        signed(difference.mean),
        `${signed(difference.interval.low)} – ${signed(difference.interval.high)}`,
      ]
    : [null, null];
