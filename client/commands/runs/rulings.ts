import type { Command } from 'commander';
import type { z } from 'zod';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import {
  flag,
  jsonOption,
  option,
  whole,
  type FlagsOf,
  type Option,
} from '../../../domain/option.js';
import { decisions, type Decision } from '../../../domain/scoring/ruling.js';
import { UserError } from '../../../domain/user-error.js';
import { ruleOn, signRun } from '../../runs/rule-run.js';
import { RunFolder } from '../../runs/run-folder.js';
import { readRun, rulingState } from '../../runs/scoring/run-scores.js';
import { loadEnvironment } from '../../services/environment.js';
import { note, printResult } from '../../services/tell.js';
import { ruledText, rulingStateText, signedText } from '../../views/print-summary.js';
import { retry } from '../retry.js';
import { addOptions, parseArgument, personOption } from '../shared/arguments.js';

const decide = (decision: Decision, help: string): Option<z.ZodOptional<z.ZodBoolean>> => ({
  ...flag(help),
  conflicts: decisions.filter((each) => each !== decision),
});

const ruleOptions = {
  exclude: decide('exclude', 'they enter no mean'),
  wrong: decide('wrong', 'they count with the lowest score'),
  accept: decide('accept', 'they count as they do, and are open no more'),
  again: decide('again', 'they are asked again, as by `turnwise retry`'),
  withdraw: decide('withdraw', 'take back what was ruled on them'),
  reason: option('<text>', 'why'),
  by: personOption('who rules'),
  epoch: option('<n>', 'which time they were asked (default: 1)', whole(1, 1000).optional()),
  ...jsonOption,
};
const signOptions = { by: personOption('who signs'), ...jsonOption };

export function registerRulings(runs: Command): void {
  const ruling = runs
    .command('rule')
    .description(
      'rule on results, such as those that ended for outside reasons; without a decision, list what is open for a ruling and what was ruled',
    )
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .argument('[questions...]', 'their uuids, or how these begin');
  addOptions(ruling, ruleOptions).action(rule);
  const signing = runs
    .command('sign')
    .description('sign a run off, of which nothing is open for a ruling')
    .argument('<run>', 'the run', parseArgument(runIdSchema));
  addOptions(signing, signOptions).action(
    async (run: RunId, { by, json }: FlagsOf<typeof signOptions>) => {
      const signOff = await signRun(RunFolder.of(loadEnvironment(), run), by);
      printResult(json, signOff, `run ${run} is ${signedText(signOff)}`);
    },
  );
}

async function rule(
  run: RunId,
  begins: readonly string[],
  flags: FlagsOf<typeof ruleOptions>,
): Promise<void> {
  const { reason, by, epoch = 1, json } = flags;
  const folder = RunFolder.of(loadEnvironment(), run);
  await folder.manifest();
  const decision = decisions.find((each) => flags[each]);
  if (decision === undefined) {
    if (begins.length > 0 || reason !== undefined) {
      throw new UserError(
        'say what is decided: --exclude, --wrong, --accept, --again or --withdraw',
      );
    }
    const state = rulingState(await readRun(folder));
    printResult(json, state, rulingStateText(run, state));
    return;
  }
  const questions = await Promise.all(begins.map((each) => folder.question(each)));
  if (questions.length === 0) throw new UserError('name the questions whose results are ruled on');
  const about = questions.map((uuid) => ({ uuid, epoch }));
  const rulings = await ruleOn(folder, { by, about, decision, reason });
  const said = `run ${run} ${ruledText(rulings)}`;
  if (decision === 'again') {
    note(said);
    await retry(run, { question: [...questions], epoch, ...(json && { json }) });
  } else {
    printResult(json, rulings, said);
  }
}
