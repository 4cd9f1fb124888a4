import { decimals, said } from '../../../domain/formats/text.js';
import type {
  Calibration,
  JudgeAgreement,
  PairAgreement,
} from '../../../domain/scoring/judging/judge-agreement.js';
import { scaleLabels, type Scale } from '../../../domain/scoring/verdict.js';
import { between } from '../terminal.js';
import type { Row, Section, Table } from './section.js';

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

/** How far judges agree with each other and with human labels, on one scale. */
export const agreementSection = ({
  scale,
  judges,
  agreement,
  calibration,
}: AgreementShown): Section => ({
  id: `agreement-${scale}`,
  title: `Agreement of judges${scaleLabels[scale]}`,
  words: said([amongWords(agreement), calibration?.map(levelsWords)]),
  notes: [],
  tables: [
    {
      caption: 'Judges',
      heads: [`judge${scaleLabels[scale]}`, 'rated', 'not', 'mean'],
      names: 1,
      rows: judges.map(({ name, rated, missing, mean }) => [name, rated, missing, decimals(mean)]),
    },
    ...(agreement.pairs.length > 0 ? [pairsTable(agreement)] : []),
    ...(calibration === null ? [] : [calibrationTable(calibration)]),
  ],
});

const pairHeads = ['answers', 'equal', '95 % between', 'Cohen’s kappa'];

const pairCells = ({ answers, agreed, kappa }: PairAgreement): Row => [
  answers,
  decimals(agreed?.share),
  between(agreed?.interval),
  decimals(kappa),
];

const amongWords = ({ pairs, ratedByAll, alpha, fleissKappa }: JudgeAgreement): readonly string[] =>
  said([
    pairs.length > 1 &&
      `Fleiss’ kappa ${decimals(fleissKappa)} over ${ratedByAll} answers that all judges rated`,
    pairs.length > 0 && `Krippendorff’s alpha ${decimals(alpha)}`,
  ]);

const levelsWords = ({ raters: [name], levels }: Calibration): string =>
  `${name}: ${levels.map(({ rating, answers, meanLabel }) => `of ${answers} rated ${rating} the mean label is ${decimals(meanLabel)}`).join('; ')}`;

const pairsTable = ({ pairs }: JudgeAgreement): Table => ({
  caption: 'Each two judges',
  heads: ['between', ...pairHeads],
  names: 1,
  rows: pairs.map((pair) => [pair.raters.join(' and '), ...pairCells(pair)]),
});

const calibrationTable = (all: readonly Calibration[]): Table => ({
  caption: 'Judges and people',
  heads: ['against labels', ...pairHeads, 'mean', 'label', 'bias'],
  names: 1,
  rows: all.map((each) => [
    each.raters[0],
    ...pairCells(each),
    decimals(each.meanRating),
    decimals(each.meanLabel),
    each.bias === null ? null : `${each.bias >= 0 ? '+' : '−'}${decimals(Math.abs(each.bias))}`,
  ]),
});
