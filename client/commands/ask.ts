import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { questionIdSchema, runIdSchema } from '../../domain/ids.js';
import { endReport } from '../end-report.js';
import { loadEnvironment } from '../environment.js';
import { executeRun, exitStatusOf } from '../execute-run.js';
import { prepareRun } from '../prepare-run.js';
import { addQuestionOptions, questionItem, type QuestionFlags } from '../question-options.js';
import { addSharedRunOptions, runConfigOf, type SharedRunFlags } from '../run-options.js';
import { withServices } from '../session.js';
import { openStore } from '../store-files.js';
import { TurnPrinter } from '../turn-printer.js';

interface AskFlags extends SharedRunFlags, QuestionFlags {
  readonly json: boolean;
}

export function registerAsk(program: Command): void {
  addQuestionOptions(
    addSharedRunOptions(
      program
        .command('ask')
        .description('ask one question; prints each turn as it happens, then the answer')
        .argument('<question>'),
    ),
  )
    .option('--json', 'print the result as one JSON document', false)
    .action(ask);
}

/** A question by itself is a run of one: everything that can be asked about a run can be asked about it. */
async function ask(question: string, flags: AskFlags): Promise<void> {
  const environment = loadEnvironment();
  const uuid = questionIdSchema.parse(randomUUID());
  const item = questionItem(uuid, question, flags);
  const { folder, manifest } = prepareRun({
    home: environment.TURNWISE_HOME,
    run: runIdSchema.parse(
      `ask-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}-${uuid.slice(0, 4)}`,
    ),
    dataset: { path: 'the question', text: `${JSON.stringify(item)}\n` },
    store: openStore(environment.TURNWISE_HOME, flags.store),
    config: runConfigOf(flags, environment, { epochs: 1, concurrency: 1 }),
  });
  await withServices(environment, async (session) => {
    const printer = new TurnPrinter(
      folder,
      { uuid, epoch: 1 },
      manifest.config,
      flags.json ? process.stderr : process.stdout,
    );
    const totals = await executeRun(session, environment, manifest, printer);
    printer.finish();
    if (flags.json) console.log(JSON.stringify(printer.result(), null, 1));
    else
      console.error(`${endReport(totals, folder.models())}\nrun ${manifest.run}: ${folder.path}`);
    process.exitCode = exitStatusOf(totals);
  });
}
