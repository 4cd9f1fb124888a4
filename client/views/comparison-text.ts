import { preview } from '../../domain/formats/text.js';
import { costText } from '../../domain/models/usage.js';
import { scaleLabels } from '../../domain/scoring/scale.js';
import type {
  CandidateComparison,
  ComparisonVerdict,
  Difference,
  FieldDifferences,
  RunComparison,
} from '../../domain/runs/compare-runs.js';
import type { Flip, FlipSide, ComparedRunSummary } from '../../domain/runs/pair-runs.js';
import { alignColumns } from './terminal.js';

/** The verdict of a comparison in a sentence. It claims a difference only if the comparison is decisive. */
export function comparisonWords(baseline: string, compared: CandidateComparison): string {
  const { summary, scale, verdict, difference, adjustedP } = compared;
  const on = scale === 'unit' ? '' : ' in match scores from 1 to 5';
  if (difference === null || adjustedP === null) {
    return `${summary.run} and ${baseline} cannot be compared${on}: no question has a score in both`;
  }
  const shown = `${signed(difference.mean)}, 95 % between ${signed(difference.interval.low)} and ${signed(difference.interval.high)}, p ${adjustedP < 0.001 ? '' : '= '}${pText(adjustedP)}`;
  const claims: Readonly<Record<ComparisonVerdict, () => string>> = {
    better: () => `${summary.run} is better than ${baseline}${on}: ${shown}`,
    worse: () => `${summary.run} is worse than ${baseline}${on}: ${shown}`,
    'not-decisive': () =>
      `not decisive: ${summary.run} ${inclination(difference, baseline)}${on} (${shown}), which may be due to chance; ${difference.questions} questions rarely show a difference below ${difference.smallestDetectable.toFixed(3)}`,
    'not-comparable': () => `${summary.run} and ${baseline} cannot be compared`,
  };
  return `${claims[verdict]()}${overturned(compared)}`;
}

function inclination({ mean }: Difference, baseline: string): string {
  if (mean === 0) return `scores the same as ${baseline}`;
  return `scores ${mean > 0 ? 'higher' : 'lower'} than ${baseline}`;
}

/** A warning if the questions without a score could overturn a decisive verdict. */
function overturned({ verdict, bounds, unscored }: CandidateComparison): string {
  if (bounds === null || unscored === 0) return '';
  const canOverturn =
    (verdict === 'better' && bounds.worst <= 0) || (verdict === 'worse' && bounds.best >= 0);
  return canOverturn ? `; the ${unscored} questions without a score in both could overturn it` : '';
}

/** `+0.120`, `−0.031`, `0.000`. */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  if (Number(text) === 0) return text;
  return `${value > 0 ? '+' : '−'}${text}`;
}

export const pText = (p: number): string => (p < 0.001 ? 'below 0.001' : p.toFixed(3));

/** The most questions shown for each run; `--json` lists all. */
const flipsShown = 20;

/** A comparison of runs as lines for the terminal: the verdicts first, then the figures behind them. */
export function comparisonText({ baseline, candidates, remarks }: RunComparison): string {
  return [
    ...candidates.map((candidate) => comparisonWords(baseline.run, candidate)),
    ...(candidates.length > 1
      ? [`p-values are corrected for ${candidates.length} comparisons, by Holm's procedure`]
      : []),
    ...remarks.map((remark) => `note: ${remark}`),
    '',
    alignColumns([
      ['run', 'score', '95 % between', 'scored', 'of', 'turns', 'cost'],
      ...runsOf({ baseline, candidates }).flatMap(summaryRows),
    ]),
    ...candidates.flatMap((candidate) => ['', candidateText(baseline.run, candidate)]),
  ].join('\n');
}

/** The baseline and the other runs, each once. */
export const runsOf = ({
  baseline,
  candidates,
}: Pick<RunComparison, 'baseline' | 'candidates'>): readonly ComparedRunSummary[] => [
  ...new Map(
    [baseline, ...candidates.map(({ summary }) => summary)].map((each) => [each.run, each]),
  ).values(),
];

const summaryRows = ({
  run,
  headlines,
  meanTurns,
  cost,
}: ComparedRunSummary): readonly (readonly string[])[] =>
  headlines.map(({ scale, score, scored, scorable }) => [
    `${run}${scaleLabels[scale]}`,
    score ? score.mean.toFixed(3) : '–',
    score ? `${score.interval.low.toFixed(3)} – ${score.interval.high.toFixed(3)}` : '',
    String(scored),
    String(scorable),
    meanTurns?.toFixed(1) ?? '–',
    costText(cost),
  ]);

function candidateText(baseline: string, compared: CandidateComparison): string {
  const { scale, difference, flips, fields, unscored, unpaired, bounds } = compared;
  const run = `${compared.summary.run}${scaleLabels[scale]}`;
  const same = difference ? difference.questions - difference.better - difference.worse : 0;
  return [
    ...(difference
      ? [
          `${run} against ${baseline}, over ${difference.questions} questions with a score in both: ${difference.better} better, ${difference.worse} worse, ${same} the same`,
        ]
      : []),
    ...(unscored > 0 && bounds
      ? [
          `${unscored} questions have no score in one of the runs: with them the difference would be between ${signed(bounds.worst)} and ${signed(bounds.best)}`,
        ]
      : []),
    ...(unpaired > 0 ? [`${unpaired} questions were asked in only one of the runs`] : []),
    ...flipsTable(baseline, run, flips),
    ...fields.flatMap((field) => ['', fieldTable(baseline, run, field)]),
  ].join('\n');
}

function flipsTable(baseline: string, run: string, flips: readonly Flip[]): readonly string[] {
  if (flips.length === 0) return [];
  const rows = flips
    .slice(0, flipsShown)
    .map(({ uuid, epoch, because, baseline: before, candidate: after }) => [
      epoch === 1 ? uuid : `${uuid} (epoch ${epoch})`,
      sideText(before),
      sideText(after),
      `${because}: ${becauseText(because, before, after)}`,
    ]);
  const more = flips.length - rows.length;
  return [
    alignColumns([['question', baseline, run, 'because of'], ...rows]),
    ...(more > 0 ? [`and ${more} more: --json lists all`] : []),
  ];
}

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

const fieldTable = (baseline: string, run: string, { field, groups }: FieldDifferences): string =>
  alignColumns([
    [field, 'questions', baseline, run, 'difference', '95 % between'],
    ...groups.map(({ group, difference }) => [
      group,
      String(difference.questions),
      difference.baselineMean.toFixed(3),
      difference.candidateMean.toFixed(3),
      signed(difference.mean),
      `${signed(difference.interval.low)} – ${signed(difference.interval.high)}`,
    ]),
  ]);
