import { z } from 'zod';
import { type FlagsOf, formatOptions, option } from '../../../domain/option.js';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { couldDecide } from '../../../domain/runs/compare-runs.js';
import { RunFolder } from '../../runs/run-folder.js';
import { compareStoredRuns } from '../../runs/scoring/compared-runs.js';
import { loadEnvironment } from '../../services/environment.js';
import { tell } from '../../services/tell.js';
import {
  changedQuestions,
  comparisonSections,
  comparisonWords,
} from '../../views/sections/comparison.js';
import { printSections } from '../../views/print-sections.js';
import { writeComparison } from '../../views/page/write-page.js';
import { parseArgument, parseArguments, type CommandLine } from '../shared/command-line.js';

const compareOptions = {
  by: option(
    '<field>',
    'differences by these fields of the questions, too',
    z.array(z.string()).default([]),
  ),
  failIf: option(
    '<verdict>',
    'exit with 1 if any of the others is that, with 5 if too little has a score to tell',
    z.enum(['worse']).optional(),
  ),
  out: option('<file>', 'write a page that needs no network: both conversations of each question'),
  ...formatOptions,
};

export function registerCompare(program: CommandLine): void {
  program
    .command('compare')
    .description('whether runs of the same questions differ by more than chance')
    .argument('<baseline>', 'the run that the others are set against', parseArgument(runIdSchema))
    .argument('<runs...>', 'the others', parseArguments(runIdSchema))
    .takes(compareOptions)
    .action(compare);
}

async function compare(
  baseline: RunId,
  others: readonly RunId[],
  flags: FlagsOf<typeof compareOptions>,
): Promise<void> {
  const environment = loadEnvironment();
  const folderOf = (run: RunId): RunFolder => RunFolder.of(environment, run);
  const folders = [folderOf(baseline), ...others.map(folderOf)] as const;
  const comparison = await compareStoredRuns(folders, flags.by);
  const { candidates } = comparison;
  printSections(flags, {
    title: `${others.join(', ')} against ${baseline}`,
    sections: [...comparisonSections(comparison), changedQuestions(comparison)],
    data: {
      ...comparison,
      candidates: candidates.map((candidate) => ({
        words: comparisonWords(baseline, candidate),
        ...candidate,
      })),
    },
  });
  if (flags.out !== undefined) {
    const { bytes } = await writeComparison(comparison, folders, flags.out);
    tell(`comparison written to ${flags.out}, ${(bytes / 1e6).toFixed(1)} MB`);
  }
  if (flags.failIf === undefined) return;
  if (candidates.some(({ verdict }) => verdict === flags.failIf)) {
    process.exitCode = exitStatus.comparisonFailed;
    return;
  }
  const undecided = others.filter(
    (run) => !couldDecide(candidates.filter(({ summary }) => summary.run === run)),
  );
  if (undecided.length === 0) return;
  // Exit status 0 would say that the check passed.
  throw new UserError(
    `--fail-if cannot tell for ${undecided.join(', ')}: too few questions have a score in both runs, or they are about too few papers or databases`,
    exitStatus.comparisonUndecided,
  );
}
