import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import {
  parseQuestionWorkflowId,
  runIdSchema,
  runWorkflowId,
  type RunId,
} from '../../domain/ids.js';
import { scoresFile } from '../../domain/runs/run-layout.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { runStatus, type QuestionHistory } from '../../domain/runs/run-status.js';
import { scoreSchema } from '../../domain/questions/score.js';
import { searchAttributes } from '../../domain/search-attributes.js';
import type { Environment } from '../../domain/settings.js';
import { workflowNames } from '../../workflows/messages.js';
import { accountLines } from '../account-lines.js';
import { loadEnvironment } from '../environment.js';
import { followRun } from '../execute-run.js';
import { parseArgument } from '../parse-argument.js';
import { progressDisplay } from '../progress-display.js';
import { RunFolder, samplesOf } from '../run-folder.js';
import { runLedger } from '../run-ledger.js';
import { readyServices } from '../services.js';
import { withServices } from '../session.js';
import { statusText } from '../status-text.js';

interface StatusFlags {
  readonly watch?: true;
  readonly json?: true;
}

export function registerStatus(program: Command): void {
  program
    .command('status')
    .description('where a run is, and what its questions came to')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--watch', 'show its progress until it ends')
    .option('--json', 'one JSON document, with the history size of every question')
    .action(printStatus);
}

async function printStatus(run: RunId, { watch, json }: StatusFlags): Promise<void> {
  const environment = loadEnvironment();
  const folder = new RunFolder(environment.TURNWISE_HOME, run);
  folder.manifest();
  if (watch) await follow(environment, folder);
  // Services that start go on with every run there is: a look at the files of one must not start them.
  const live = (await readyServices(environment)) !== undefined;
  const { histories, limits } =
    json || live
      ? await withServices(environment, async ({ client }) => ({
          histories: await historiesOf(client, run),
          limits: await limitsOf(client, folder.manifest()),
        }))
      : { histories: [], limits: [] };
  const manifest = folder.manifest();
  const status = runStatus(
    samplesOf(manifest),
    folder.results(),
    folder.readLines(scoresFile, scoreSchema),
    histories,
  );
  const ledger = runLedger(folder);
  console.log(
    json
      ? JSON.stringify({ run, status: manifest.status, ...status, ledger, limits }, null, 1)
      : statusText({
          manifest,
          status,
          results: folder.results(),
          items: folder.items(),
          ledger,
          servicesRun: live,
          limits,
        }),
  );
}

async function follow(environment: Environment, folder: RunFolder): Promise<void> {
  await withServices(environment, (session) => {
    const display = progressDisplay(session.client, folder.run, folder);
    const handle = session.client.workflow.getHandle(runWorkflowId(folder.run));
    return followRun(session, handle, folder.manifest(), display).finally(() => display.finish());
  });
}

/** How its provider's limits stand, for a run that could be under way. */
const limitsOf = (
  client: Client,
  { status, config }: RunManifest,
): Promise<readonly string[]> | readonly string[] =>
  status === 'running' ? accountLines(client, config.model) : [];

/** As visibility has them: a question shows up seconds after it began, its final size after it ended. */
async function historiesOf(client: Client, run: RunId): Promise<readonly QuestionHistory[]> {
  const histories: QuestionHistory[] = [];
  const query = `${searchAttributes.run} = '${run}' AND WorkflowType = '${workflowNames.answerQuestion}'`;
  for await (const execution of client.workflow.list({ query, pageSize: 1000 })) {
    const key = parseQuestionWorkflowId(execution.workflowId);
    if (!key) continue;
    histories.push({
      ...key,
      historyBytes: execution.historySize ?? 0,
      historyEvents: execution.historyLength,
    });
  }
  return histories;
}
