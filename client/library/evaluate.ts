import { relative } from 'node:path';
import { exactJson } from '../../domain/formats/json.js';
import { flagsOf } from '../../domain/option.js';
import { defaultRunId, paidModels } from '../../domain/runs/run-config.js';
import { sharedRunOptions, type SharedRunFlags } from '../../domain/runs/run-options.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import { runIdSchema } from '../../domain/ids.js';
import { storageOf } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { requireGraphProgram } from '../commands/shared/launch-run.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import { ownScorerIn, runConfigOf } from '../commands/shared/run-options.js';
import { executeRun } from '../runs/execute-run.js';
import { databaseNamed } from '../runs/choose-samples.js';
import { givenPlugins, scorersOf } from '../runs/own-code.js';
import { prepareRun } from '../runs/prepare-run.js';
import { scoredBy } from '../runs/scoring/score-answers.js';
import { storeOfQuestions } from '../runs/stores/store-files.js';
import { readLinesFile } from '../services/read-file.js';
import { withServices } from '../services/session.js';
import { totalsOf } from '../views/run-end.js';
import { endedProgress, environmentOf, progressOf, storedRun } from './stored-run.js';
import type { EvaluateOptions, Run } from './surface.js';
import { note } from '../services/tell.js';

/**
 * Asks every question to its end, as `turnwise run` does, and starts services where none run. A run that was interrupted
 * goes on where it was when `evaluate` is called again with the same options and `run`.
 * @throws TurnwiseError with one sentence, before anything is spent where the options are wrong; later if the run cannot go on
 */
export async function evaluate(options: EvaluateOptions): Promise<Run> {
  const { questions, onProgress = () => undefined, epochs = 1, concurrency = 20 } = options;
  const environment = environmentOf(options.settings ?? {});
  const flags = flagsIn(options);
  const plugins = await givenPlugins(options.plugins ?? [], environment);
  const scorer = ownScorerIn(options, plugins);
  const config = runConfigOf(
    flags,
    environment,
    { epochs, concurrency, budget: { usd: options.budgetUsd ?? null, tokens: null } },
    plugins,
  );
  requireGraphProgram(config, environment);
  for (const paid of paidModels(config)) requirePrice(paid, { budgetUsd: options.budgetUsd });
  const path = typeof questions === 'string' ? questions : 'questions.jsonl';
  const text =
    typeof questions === 'string'
      ? readLinesFile(questions, `the dataset ${questions}`)
      : questions.map((each) => `${exactJson(each)}\n`).join('');
  const home = environment.TURNWISE_HOME;
  const database = databaseNamed(text, scorersOf(plugins));
  const store = await storeOfQuestions(environment, { store: options.store, database }, config);
  const asked =
    typeof questions === 'string'
      ? { dataset: relative(home, questions) }
      : { dataset: path, questions: text };
  const { manifest } = await prepareRun({
    home,
    storage: storageOf(environment),
    run:
      options.run === undefined
        ? defaultRunId({ ...asked, store: store?.name, config })
        : runIdOf(options.run),
    dataset: { path, text: scorer === null ? text : scoredBy(scorer, text) },
    store,
    config,
    plugins,
    tuning: {
      ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
      ...(options.budgetUsd !== undefined && { budgetUsd: options.budgetUsd }),
    },
  });
  await withServices(environment, async (session) => {
    const end = await executeRun(session, environment, manifest, {
      onProgress: (progress: RunProgress) => onProgress(progressOf(progress, manifest)),
      onSilence: note,
    });
    onProgress(endedProgress(totalsOf(manifest.run, end), manifest));
  });
  return storedRun(environment, manifest.run);
}

/** As the command line has them, with its defaults. */
function flagsIn({ toolTimeoutSeconds: toolTimeout, ...options }: EvaluateOptions): SharedRunFlags {
  const { method, model, temperature, maxTokens, maxTurns } = options;
  return flagsOf(sharedRunOptions, {
    ...{ method, model, temperature, maxTokens, maxTurns, toolTimeout },
  });
}

function runIdOf(text: string) {
  const run = runIdSchema.safeParse(text).data;
  if (run !== undefined) return run;
  throw new UserError(`${text} is no id of a run: letters, digits, dots, _ and - only`);
}
