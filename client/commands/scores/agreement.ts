import type { Command } from 'commander';
import { keyText, runIdSchema, type RunId } from '../../../domain/ids.js';
import {
  calibration,
  humanRater,
  judgeAgreement,
  judgesIn,
  panelIn,
  readLabels,
  type Rater,
} from '../../../domain/scoring/judging/judge-agreement.js';
import { type Score } from '../../../domain/scoring/score.js';
import { scaleOf, scalesIn, type Scale } from '../../../domain/scoring/verdict.js';
import { mean } from '../../../domain/statistics/means.js';
import { UserError } from '../../../domain/user-error.js';
import { RunFolder } from '../../runs/run-folder.js';
import { readRun } from '../../runs/scoring/run-scores.js';
import { loadEnvironment } from '../../services/environment.js';
import { flawedFiles, readTextFile } from '../../services/read-file.js';
import { type FlagsOf, formatOptions, option } from '../../../domain/option.js';
import {
  agreementSection,
  type AgreementShown,
  type RaterLine,
} from '../../views/sections/agreement.js';
import { printSections } from '../../views/print-sections.js';
import { addOptions, parseArgument } from '../shared/arguments.js';

const agreementOptions = {
  labels: option('<file>', 'what people found, one JSON object a line: uuid, label'),
  ...formatOptions,
};

export function registerAgreement(program: Command): void {
  const command = program
    .command('agreement')
    .description('how far the judges of a run agree among themselves, and with people')
    .argument('<run>', 'the run', parseArgument(runIdSchema));
  addOptions(command, agreementOptions).action(agreement);
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
