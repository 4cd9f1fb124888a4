import type {
  Calibration,
  JudgeAgreement,
  PairAgreement,
} from '../../domain/scoring/judging/judge-agreement.js';
import { scaleLabels, type Scale } from '../../domain/scoring/scale.js';
import { alignColumns } from './terminal.js';

export interface RaterLine {
  readonly name: string;
  readonly rated: number;
  readonly missing: number;
  readonly mean: number | null;
}

export interface AgreementShown {
  readonly scale: Scale;
  readonly judges: readonly RaterLine[];
  readonly agreement: JudgeAgreement;
  /** Null if there are no labels. */
  readonly calibration: readonly Calibration[] | null;
}

/** How far judges agree with each other and with human labels, as lines for the terminal. */
export const agreementText = ({ scale, judges, agreement, calibration }: AgreementShown): string =>
  [
    alignColumns([
      [`judge${scaleLabels[scale]}`, 'rated', 'not', 'mean'],
      ...judges.map(({ name, rated, missing, mean }) => [
        name,
        String(rated),
        String(missing),
        decimals(mean),
      ]),
    ]),
    ...amongText(agreement),
    ...(calibration === null ? [] : calibrationText(calibration)),
  ].join('\n');

function amongText({ pairs, ratedByAll, alpha, ...whole }: JudgeAgreement): readonly string[] {
  if (pairs.length === 0) return [];
  const fleiss =
    pairs.length > 1
      ? [
          `Fleiss’ kappa ${decimals(whole.fleissKappa)} over ${ratedByAll} answers that all judges rated`,
        ]
      : [];
  return [
    '',
    alignColumns([
      ['between', 'answers', 'equal', '95 % between', 'Cohen’s kappa'],
      ...pairs.map(row),
    ]),
    [...fleiss, `Krippendorff’s alpha ${decimals(alpha)}`].join('; '),
  ];
}

function calibrationText(all: readonly Calibration[]): readonly string[] {
  return [
    '',
    alignColumns([
      [
        'against labels',
        'answers',
        'equal',
        '95 % between',
        'Cohen’s kappa',
        'mean',
        'label',
        'bias',
      ],
      ...all.map((each) => [
        each.raters[0],
        ...row(each).slice(1),
        decimals(each.meanRating),
        decimals(each.meanLabel),
        each.bias === null ? '–' : `${each.bias >= 0 ? '+' : '−'}${decimals(Math.abs(each.bias))}`,
      ]),
    ]),
    ...all.map(
      ({ raters: [name], levels }) =>
        `${name}: ${levels.map(({ rating, answers, meanLabel }) => `of ${answers} rated ${rating} the mean label is ${decimals(meanLabel)}`).join('; ')}`,
    ),
  ];
}

const row = ({ raters, answers, agreed, kappa }: PairAgreement): readonly string[] => [
  raters.join(' and '),
  String(answers),
  decimals(agreed?.share ?? null),
  agreed ? `${decimals(agreed.interval.low)} – ${decimals(agreed.interval.high)}` : '',
  decimals(kappa),
];

const decimals = (value: number | null): string => value?.toFixed(3) ?? '–';
