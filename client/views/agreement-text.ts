import { decimals, joined, type Texts } from '../../domain/formats/text.js';
import type {
  Calibration,
  JudgeAgreement,
  PairAgreement,
} from '../../domain/scoring/judging/judge-agreement.js';
import { scaleLabels, type Scale } from '../../domain/scoring/scale.js';
import type { Row } from './sections/section.js';
import { between, table } from './terminal.js';

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
  joined(
    '\n',
    table(
      [`judge${scaleLabels[scale]}`, 'rated', 'not', 'mean'],
      judges.map(({ name, rated, missing, mean }) => [name, rated, missing, decimals(mean)]),
    ),
    amongLines(agreement),
    calibration && calibrationLines(calibration),
  );

const pairHeads = ['answers', 'equal', '95 % between', 'Cohen’s kappa'];

const pairCells = ({ answers, agreed, kappa }: PairAgreement): Row => [
  answers,
  decimals(agreed?.share),
  between(agreed?.interval),
  decimals(kappa),
];

const amongLines = ({ pairs, ratedByAll, alpha, fleissKappa }: JudgeAgreement): Texts =>
  pairs.length > 0 && [
    '',
    table(
      ['between', ...pairHeads],
      pairs.map((pair) => [pair.raters.join(' and '), ...pairCells(pair)]),
    ),
    joined(
      '; ',
      pairs.length > 1 &&
        `Fleiss’ kappa ${decimals(fleissKappa)} over ${ratedByAll} answers that all judges rated`,
      `Krippendorff’s alpha ${decimals(alpha)}`,
    ),
  ];

const calibrationLines = (all: readonly Calibration[]): Texts => [
  '',
  table(
    ['against labels', ...pairHeads, 'mean', 'label', 'bias'],
    all.map((each) => [
      each.raters[0],
      ...pairCells(each),
      decimals(each.meanRating),
      decimals(each.meanLabel),
      each.bias === null ? '–' : `${each.bias >= 0 ? '+' : '−'}${decimals(Math.abs(each.bias))}`,
    ]),
  ),
  all.map(
    ({ raters: [name], levels }) =>
      `${name}: ${levels.map(({ rating, answers, meanLabel }) => `of ${answers} rated ${rating} the mean label is ${decimals(meanLabel)}`).join('; ')}`,
  ),
];
