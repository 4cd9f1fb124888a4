import { decimals, grouped } from '../../../domain/formats/text.js';
import { costText } from '../../../domain/models/usage.js';
import type {
  CandidateComparison,
  FieldDifferences,
  RunComparison,
  ComparedRunSummary,
} from '../../../domain/runs/compare-runs.js';
import { clustersText } from '../../../domain/scoring/clusters.js';
import type { Difference } from '../../../domain/scoring/paired-difference.js';
import { scaleLabels } from '../../../domain/scoring/scale.js';
import { comparisonWords, pText, runsOf, signed } from '../comparison-text.js';
import { comparedQuestions } from './compared-questions.js';
import { pageFrame } from './document.js';
import { figuresTable, instantText, markup, type Markup } from './markup.js';
import type { ReportedRun } from './reported-run.js';
import { headlineCells } from './score-sections.js';

/**
 * @param runs - the baseline, then the others in the order of the comparison
 * @param madeAt - ISO 8601
 * @param remarks - notes about what the page leaves out
 */
export function comparisonBody(
  comparison: RunComparison,
  runs: readonly ReportedRun[],
  { madeAt, remarks }: { readonly madeAt: string; readonly remarks: readonly string[] },
): Markup {
  const { baseline } = comparison;
  return pageFrame({
    kind: `turnwise comparison, made ${instantText(madeAt)}`,
    title: `${runsOf(comparison)
      .slice(1)
      .map(({ run }) => run)
      .join(', ')} against ${baseline.run}`,
    links: [
      { id: 'verdict', name: 'Verdict' },
      { id: 'differences', name: 'Differences' },
    ],
    content: comparisonSections(comparison),
    remarks,
    questions: comparedQuestions(comparison, runs),
  });
}

/** The verdict in words, and the figures behind it. */
export function comparisonSections(comparison: RunComparison): Markup {
  const { baseline, candidates } = comparison;
  return markup`<section aria-labelledby="verdict"><h2 id="verdict">Verdict</h2>
${candidates.map((candidate) => markup`<p class="verdict-words">${comparisonWords(baseline.run, candidate)}.</p>\n`)}${notes(comparison).map((note) => markup`<p class="note">${note}</p>\n`)}${summaryTable(runsOf(comparison))}
</section>
<section aria-labelledby="differences"><h2 id="differences">Differences</h2>
<div class="tables">${differencesTable(comparison)}${candidates.map(fieldTables)}</div>
</section>
`;
}

const notes = ({ candidates, remarks }: RunComparison): readonly string[] => [
  ...(candidates.length > 1
    ? [`p-values are corrected for ${candidates.length} comparisons, by Holm's procedure`]
    : []),
  ...remarks,
];

const summaryTable = (runs: readonly ComparedRunSummary[]): Markup =>
  figuresTable({
    caption: 'Each run over all of its questions',
    names: ['run'],
    numbers: ['score', '95 % between', 'scored', 'of', 'turns', 'cost'],
    rows: runs.flatMap(({ run, headlines, meanTurns, cost }) =>
      headlines.map((headline) => [
        `${run}${scaleLabels[headline.scale]}`,
        ...headlineCells(headline),
        meanTurns?.toFixed(1) ?? '–',
        costText(cost),
      ]),
    ),
  });

function differencesTable({ baseline, candidates }: RunComparison): Markup {
  const rows: readonly (readonly [string, (of: CandidateComparison) => string])[] = [
    ['questions with a score in both', ({ pairs }) => grouped(pairs)],
    ['better', ({ difference }) => (difference ? grouped(difference.better) : '–')],
    ['worse', ({ difference }) => (difference ? grouped(difference.worse) : '–')],
    ['difference of the means', ({ difference }) => (difference ? signed(difference.mean) : '–')],
    ['95 % between', ({ difference }) => (difference ? intervalText(difference) : '–')],
    [
      'by',
      ({ difference }) =>
        difference ? clustersText(difference.clusters, difference.clustersAre) : '–',
    ],
    ['p', ({ adjustedP }) => (adjustedP === null ? '–' : pText(adjustedP))],
    [
      'smallest detectable difference',
      ({ difference }) => (difference ? decimals(difference.smallestDetectable) : '–'),
    ],
    ['without a score in both', ({ unscored }) => grouped(unscored)],
    [
      'with these, between',
      ({ bounds }) => (bounds ? `${signed(bounds.worst)} and ${signed(bounds.best)}` : '–'),
    ],
    ['asked in only one of the runs', ({ unpaired }) => grouped(unpaired)],
  ];
  return figuresTable({
    caption: `Against ${baseline.run}`,
    names: [''],
    numbers: candidates.map(nameOf),
    rows: rows.map(([name, cell]) => [name, ...candidates.map(cell)]),
  });
}

const intervalText = ({ interval }: Difference): string =>
  `${signed(interval.low)} – ${signed(interval.high)}`;

const nameOf = ({ summary, scale }: CandidateComparison): string =>
  `${summary.run}${scaleLabels[scale]}`;

const fieldTables = (candidate: CandidateComparison): readonly Markup[] =>
  candidate.fields.map((field) => fieldTable(nameOf(candidate), field));

const fieldTable = (run: string, { field, groups }: FieldDifferences): Markup =>
  figuresTable({
    caption: `${run} by ${field}`,
    names: [field],
    numbers: ['questions', 'baseline', run, 'difference', '95 % between'],
    rows: groups.map(({ group, difference }) => [
      group,
      grouped(difference.questions),
      decimals(difference.baselineMean),
      decimals(difference.candidateMean),
      signed(difference.mean),
      intervalText(difference),
    ]),
  });
