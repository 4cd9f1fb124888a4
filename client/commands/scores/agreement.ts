import type { CommandLine } from '../shared/command-line.js';
import { keyText, type RunId } from '../../../domain/ids.js';
import {
  calibration,
  humanRater,
  judgeAgreement,
  judgesIn,
  panelIn,
  type Rater,
  type Calibration,
  type JudgeAgreement,
  type PairAgreement,
  readLabels,
} from '../../../domain/scoring/judging/judge-agreement.js';
import { scaleOf, scalesIn, type Scale, scaleLabels } from '../../../domain/scoring/verdict.js';
import type { Score } from '../../../domain/scoring/score.js';
import { mean } from '../../../domain/statistics/means.js';
import { UserError } from '../../../domain/user-error.js';
import { RunFolder } from '../../runs/run-folder.js';
import { readRun } from '../../runs/scoring/run-scores.js';
import { loadEnvironment } from '../../services/environment.js';
import { flawedFiles, readTextFile } from '../../services/read-file.js';
import { type FlagsOf, formatOptions, option } from '../../../domain/option.js';
import { printSections } from '../../views/print-sections.js';
import { decimals, type Texts } from '../../../domain/formats/text.js';
import { between } from '../../views/terminal.js';
import {
  figuresOf,
  section,
  unlessEmpty,
  type Row,
  type Section,
  type Table,
} from '../../views/sections/section.js';

const agreementOptions = {
  labels: option('<file>', 'what people found, one JSON object a line: uuid, label'),
  ...formatOptions,
};

export function registerAgreement(program: CommandLine): void {
  program
    .commandOnRun(
      'agreement',
      'how far the judges of a run agree among themselves, and with people',
    )
    .takes(agreementOptions)
    .action(agreement);
}

async function agreement(run: RunId, flags: FlagsOf<typeof agreementOptions>): Promise<void> {
  const { scores } = await readRun(RunFolder.of(loadEnvironment(), run));
  const judged = scores.filter(({ judging }) => judging !== undefined);
  if (judged.length === 0) {
    throw new UserError(
      `no answer of run ${run} was judged: \`turnwise score ${run} --judge-model M\` has them judged that need it`,
    );
  }
  const labels = flags.labels === undefined ? null : labelsIn(flags.labels, scores);
  const found = scalesIn(judged.map(({ scorer }) => scaleOf(scorer))).map((scale) =>
    agreementOn(
      scale,
      judged.filter(({ scorer }) => scaleOf(scorer) === scale),
      labels,
    ),
  );
  printSections(flags, {
    title: `Agreement of the judges of run ${run}`,
    sections: found.map(agreementSection),
    data: { run, scales: found },
  });
}

/** @param scores - of the scale */
function agreementOn(scale: Scale, scores: readonly Score[], labels: Rater | null): AgreementShown {
  const judges = judgesIn(scores);
  const raters = judges.length === 1 ? judges : [...judges, panelIn(scores)];
  return {
    scale,
    judges: raters.map(lineOf),
    agreement: judgeAgreement(judges),
    calibration: labels && raters.map((rater) => calibration(rater, labels)),
  };
}

const lineOf = ({ name, ratings, missing }: Rater): RaterLine => ({
  name,
  rated: ratings.size,
  missing,
  mean: ratings.size === 0 ? null : mean([...ratings.values()]),
});

function labelsIn(file: string, scores: readonly Score[]): Rater {
  const { labels, problems } = readLabels(
    readTextFile(file),
    new Map(scores.map((score) => [keyText(score), scaleOf(score.scorer)])),
  );
  if (problems.length > 0) throw flawedFiles([{ file, problems }]);
  return humanRater(labels);
}

interface RaterLine {
  readonly name: string;
  readonly rated: number;
  readonly missing: number;
  readonly mean: number | null;
}

interface AgreementShown {
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
}: AgreementShown): Section =>
  section(`agreement-${scale}`, `Agreement of judges${scaleLabels[scale]}`, {
    words: [amongWords(agreement), calibration?.map(levelsWords)],
    tables: [
      figuresOf(
        'Judges',
        [`judge${scaleLabels[scale]}`, 'rated', 'not', 'mean'],
        judges.map(({ name, rated, missing, mean }) => [name, rated, missing, decimals(mean)]),
      ),
      unlessEmpty(pairsTable(agreement)),
      calibration && calibrationTable(calibration),
    ],
  });

const pairHeads = ['answers', 'equal', '95 % between', 'Cohen’s kappa'];

const pairCells = ({ answers, agreed, kappa }: PairAgreement): Row => [
  answers,
  decimals(agreed?.share),
  between(agreed?.interval),
  decimals(kappa),
];

const amongWords = ({ pairs, ratedByAll, alpha, fleissKappa }: JudgeAgreement): Texts => [
  pairs.length > 1 &&
    `Fleiss’ kappa ${decimals(fleissKappa)} over ${ratedByAll} answers that all judges rated`,
  pairs.length > 0 && `Krippendorff’s alpha ${decimals(alpha)}`,
];

const levelsWords = ({ raters: [name], levels }: Calibration): string =>
  `${name}: ${levels.map(({ rating, answers, meanLabel }) => `of ${answers} rated ${rating} the mean label is ${decimals(meanLabel)}`).join('; ')}`;

const pairsTable = ({ pairs }: JudgeAgreement): Table =>
  figuresOf(
    'Each two judges',
    ['between', ...pairHeads],
    pairs.map((pair) => [pair.raters.join(' and '), ...pairCells(pair)]),
  );

const calibrationTable = (all: readonly Calibration[]): Table =>
  figuresOf(
    'Judges and people',
    ['against labels', ...pairHeads, 'mean', 'label', 'bias'],
    all.map((each) => [
      each.raters[0],
      ...pairCells(each),
      decimals(each.meanRating),
      decimals(each.meanLabel),
      each.bias === null ? null : `${each.bias >= 0 ? '+' : '−'}${decimals(Math.abs(each.bias))}`,
    ]),
  );
