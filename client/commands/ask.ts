import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { questionIdSchema, runIdSchema } from '../../domain/ids.js';
import { addressesOf } from '../../domain/model-api.js';
import { flag, type FlagsOf } from '../../domain/option.js';
import type { SharedRunFlags } from '../../domain/runs/run-options.js';
import { storageOf } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { questionReport } from '../views/end-report.js';
import { loadEnvironment } from '../services/environment.js';
import { executeRun } from '../runs/execute-run.js';
import { exitStatusOf } from '../views/print-summary.js';
import { totalsOf } from '../views/run-end.js';
import { prepareRun } from '../runs/prepare-run.js';
import { readTexts } from '../runs/prompt-file.js';
import { firstRequestOptions, printFirstRequest, printTexts } from './first-request.js';
import { questionItem, questionOptions } from './shared/question-options.js';
import { requireGraphProgram } from './shared/launch-run.js';
import { addSharedRunOptions, pluginsOf, runConfigOf } from './shared/run-options.js';
import { addOptions } from './shared/arguments.js';
import { withSession } from './shared/execute.js';
import { storeOfQuestions } from '../runs/stores/store-files.js';
import { TurnPrinter } from '../views/conversation/turn-printer.js';
import { note, printJson, visibleWriter } from '../services/tell.js';

const askOptions = {
  ...questionOptions,
  ...firstRequestOptions,
  json: flag(
    'print the result (or with --dry-run the request) as one JSON document; the turns go to stderr',
  ),
};

export function registerAsk(program: Command): void {
  const command = program
    .command('ask')
    .description('ask one question; prints each turn as it happens, then the answer')
    .argument('[question]');
  addOptions(addSharedRunOptions(command).optionsGroup('This question:'), askOptions).action(ask);
}

/** A question by itself is a run of one: everything that can be asked about a run can be asked about it. */
async function ask(
  question: string | undefined,
  flags: SharedRunFlags & FlagsOf<typeof askOptions>,
): Promise<void> {
  const environment = loadEnvironment();
  const asksNothing = flags.dryRun === true || flags.texts === true;
  if (question === undefined && !asksNothing) throw new UserError('name the question');
  const uuid = questionIdSchema.parse(randomUUID());
  const plugins = await pluginsOf(flags, environment);
  const limits = {
    epochs: 1,
    concurrency: 1,
    // Somebody waits for the answer.
    onFailure: 'end',
  } as const;
  const asked = asksNothing ? { ...environment, ...addressesOf(environment) } : environment;
  const config = runConfigOf(flags, asked, limits, plugins);
  if (flags.texts) {
    printTexts(config, readTexts(flags.prompts, plugins));
    return;
  }
  if (!asksNothing) requireGraphProgram(config, environment);
  const store = await storeOfQuestions(environment, flags, config);
  const item = questionItem(uuid, question ?? '{question}', flags, store);
  if (asksNothing) {
    await printFirstRequest(environment, config, item, store, flags.json ?? false);
    return;
  }
  const { folder, manifest } = await prepareRun({
    home: environment.TURNWISE_HOME,
    storage: storageOf(environment),
    run: runIdSchema.parse(
      `ask-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}-${uuid.slice(0, 4)}`,
    ),
    dataset: { path: 'turnwise ask', text: `${JSON.stringify(item)}\n` },
    store,
    config,
    plugins,
    isAlone: true,
  });
  await withSession(environment, async (session) => {
    const printer = new TurnPrinter(
      folder,
      { uuid, epoch: 1 },
      visibleWriter(flags.json ? process.stderr : process.stdout),
    );
    const end = await executeRun(session, environment, manifest, printer);
    const totals = totalsOf(manifest.run, end);
    const results = await folder.results();
    const [result] = results;
    if (!result) throw new Error(`run ${manifest.run} has ended without a result`);
    await printer.finish(result);
    if (flags.json) printJson(result);
    note(
      `${questionReport({ samples: 1, totals, results, price: manifest.config.model.price })}\nthe whole conversation: turnwise trajectory ${manifest.run} ${uuid}`,
    );
    process.exitCode = exitStatusOf(totals);
  });
}
