import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { parseQuestionWorkflowId, runIdSchema, type RunId } from '../../domain/ids.js';
import { resultsFile, scoresFile } from '../../domain/runs/run-layout.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { runToolsText } from '../../domain/runs/run-tools-text.js';
import { runStatus, type QuestionHistory, type RunStatus } from '../../domain/runs/run-status.js';
import { resultSchema } from '../../domain/questions/result.js';
import { scoreSchema } from '../../domain/questions/score.js';
import { searchAttributes } from '../../domain/search-attributes.js';
import { workflowNames } from '../../workflows/messages.js';
import { endReport } from '../end-report.js';
import { loadEnvironment } from '../environment.js';
import { parseArgument } from '../parse-argument.js';
import { RunFolder } from '../run-folder.js';
import { withServices } from '../session.js';

export function registerStatus(program: Command): void {
  program
    .command('status')
    .description('where a run is, and what its questions came to')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .option('--json', 'one JSON document, with the history size of every question', false)
    .action(printStatus);
}

async function printStatus(run: RunId, { json }: { readonly json: boolean }): Promise<void> {
  const environment = loadEnvironment();
  const folder = new RunFolder(environment.TURNWISE_HOME, run);
  const manifest = folder.manifest();
  const histories = await withServices(environment, ({ client }) => historiesOf(client, run));
  const status = runStatus(
    manifest.dataset.items * manifest.config.epochs,
    folder.readLines(resultsFile, resultSchema),
    folder.readLines(scoresFile, scoreSchema),
    histories,
  );
  console.log(
    json
      ? JSON.stringify({ run, status: manifest.status, ...status }, null, 1)
      : inWords(manifest, status, folder.models()),
  );
}

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

function inWords(manifest: RunManifest, status: RunStatus, models: readonly string[]): string {
  return [
    `run ${manifest.run}: ${manifest.status}, ${status.ended} of ${status.samples} questions ended`,
    `${manifest.config.method} with ${manifest.config.model.name} over store ${manifest.store.name}, since ${manifest.startedAt}`,
    endReport(status.totals, models),
    ...(status.historyBytesPerTurn === null
      ? []
      : [`history: ${status.historyBytesPerTurn} bytes a turn`]),
    ...(status.tools === null ? [] : runToolsText(status.tools)),
  ].join('\n');
}
