import { decimals, grouped } from '../../../domain/formats/text.js';
import { costText } from '../../../domain/models/usage.js';
import type {
  CandidateComparison,
  Difference,
  FieldDifferences,
  RunComparison,
} from '../../../domain/runs/compare-runs.js';
import { scaleLabels } from '../../../domain/scoring/scale.js';
import type { ComparedRunSummary } from '../../../domain/runs/pair-runs.js';
import { comparisonWords, pText, runsOf, signed } from '../comparison-text.js';
import { comparedQuestions } from './compared-questions.js';
import { pageFrame } from './document.js';
import {
  columnHead,
  instantText,
  markup,
  numberCell,
  numberHead,
  rowHead,
  type Markup,
} from './markup.js';
import type { ReportedRun } from './reported-run.js';

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
${candidates.map((candidate) => markup`<p class="verdict-words">${sentence(comparisonWords(baseline.run, candidate))}</p>\n`)}${notes(comparison).map((note) => markup`<p class="note">${note}</p>\n`)}${summaryTable(runsOf(comparison))}
</section>
<section aria-labelledby="differences"><h2 id="differences">Differences</h2>
<div class="tables">${differencesTable(comparison)}${candidates.map(fieldTables)}</div>
</section>
`;
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const notes = ({ candidates, remarks }: RunComparison): readonly string[] => [
  ...(candidates.length > 1
    ? [`p-values are corrected for ${candidates.length} comparisons, by Holm's procedure`]
    : []),
  ...remarks,
];

function summaryTable(runs: readonly ComparedRunSummary[]): Markup {
  const heads = ['score', '95 % between', 'scored', 'of', 'turns', 'cost'];
  return markup`<table class="small"><caption>Each run over all of its questions</caption>
<thead><tr>${columnHead('run')}${heads.map(numberHead)}</tr></thead>
<tbody>${runs.map(({ run, headlines, meanTurns, cost }) =>
    headlines.map(({ scale, score, scored, scorable }) => {
      const cells = [
        score ? decimals(score.mean) : '–',
        score && `${decimals(score.interval.low)} – ${decimals(score.interval.high)}`,
        grouped(scored),
        grouped(scorable),
        meanTurns?.toFixed(1) ?? '–',
        costText(cost),
      ];
      return markup`<tr>${rowHead(`${run}${scaleLabels[scale]}`)}${cells.map(numberCell)}</tr>`;
    }),
  )}</tbody></table>`;
}

function differencesTable({ baseline, candidates }: RunComparison): Markup {
  const heads = candidates.map(nameOf);
  const rows: readonly (readonly [string, (of: CandidateComparison) => string])[] = [
    ['questions with a score in both', ({ pairs }) => grouped(pairs)],
    ['better', ({ difference }) => (difference ? grouped(difference.better) : '–')],
    ['worse', ({ difference }) => (difference ? grouped(difference.worse) : '–')],
    ['difference of the means', ({ difference }) => (difference ? signed(difference.mean) : '–')],
    ['95 % between', ({ difference }) => (difference ? intervalText(difference) : '–')],
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
  return markup`<table class="small"><caption>Against ${baseline.run}</caption>
<thead><tr>${columnHead('')}${heads.map(numberHead)}</tr></thead>
<tbody>${rows.map(([name, cell]) => markup`<tr>${rowHead(name)}${candidates.map((candidate) => numberCell(cell(candidate)))}</tr>`)}</tbody></table>
`;
}

const intervalText = ({ interval }: Difference): string =>
  `${signed(interval.low)} – ${signed(interval.high)}`;

const nameOf = ({ summary, scale }: CandidateComparison): string =>
  `${summary.run}${scaleLabels[scale]}`;

const fieldTables = (candidate: CandidateComparison): readonly Markup[] =>
  candidate.fields.map((field) => fieldTable(nameOf(candidate), field));

function fieldTable(run: string, { field, groups }: FieldDifferences): Markup {
  const heads = ['questions', 'baseline', run, 'difference', '95 % between'];
  return markup`<table class="small"><caption>${run} by ${field}</caption>
<thead><tr>${columnHead(field)}${heads.map(numberHead)}</tr></thead>
<tbody>${groups.map(({ group, difference }) => {
    const cells = [
      grouped(difference.questions),
      decimals(difference.baselineMean),
      decimals(difference.candidateMean),
      signed(difference.mean),
      intervalText(difference),
    ];
    return markup`<tr>${rowHead(group)}${cells.map(numberCell)}</tr>`;
  })}</tbody></table>
`;
}
