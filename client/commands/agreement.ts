import type { Command } from 'commander';
import { keyText, runIdSchema, type RunId } from '../../domain/ids.js';
import { calibration, judgeAgreement } from '../../domain/judging/judge-agreement.js';
import { humanRater, judgesIn, panelIn, type Rater } from '../../domain/judging/ratings.js';
import { readLabels } from '../../domain/judging/read-labels.js';
import type { Score } from '../../domain/questions/score.js';
import { mean } from '../../domain/statistics/mean.js';
import { agreementText, type RaterLine } from '../agreement-text.js';
import { loadEnvironment } from '../environment.js';
import { parseArgument } from '../parse-argument.js';
import { flawedFiles } from '../flawed-files.js';
import { readTextFile } from '../read-text-file.js';
import { RunFolder } from '../run-folder.js';
import { readRun } from '../run-ledger.js';
import { UserError } from '../user-error.js';

interface AgreementFlags {
  readonly labels?: string;
  readonly json?: true;
}

export function registerAgreement(program: Command): void {
  program
    .command('agreement')
    .description('how far the judges of a run agree among themselves, and with people')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--labels <file>', 'what people found, one JSON object a line: uuid, label')
    .option('--json', 'one JSON document')
    .action(agreement);
}

async function agreement(run: RunId, { labels: file, json }: AgreementFlags): Promise<void> {
  const { scores } = await readRun(new RunFolder(loadEnvironment().TURNWISE_HOME, run));
  const judges = judgesIn(scores);
  if (judges.length === 0) {
    throw new UserError(
      `no answer of run ${run} was judged: \`turnwise score ${run} --judge-model M\` has them judged that need it`,
    );
  }
  const raters = judges.length === 1 ? judges : [...judges, panelIn(scores)];
  const labels = file === undefined ? null : labelsIn(file, scores);
  const found = {
    judges: raters.map(lineOf),
    agreement: judgeAgreement(judges),
    calibration: labels && raters.map((rater) => calibration(rater, labels)),
  };
  console.log(json ? JSON.stringify({ run, ...found }, null, 1) : agreementText(found));
}

const lineOf = ({ name, ratings, missing }: Rater): RaterLine => ({
  name,
  rated: ratings.size,
  missing,
  mean: ratings.size === 0 ? null : mean([...ratings.values()]),
});

function labelsIn(file: string, scores: readonly Score[]): Rater {
  const { labels, problems } = readLabels(readTextFile(file), new Set(scores.map(keyText)));
  if (problems.length > 0) throw flawedFiles([{ file, problems }]);
  return humanRater(labels);
}
