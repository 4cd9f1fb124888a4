import type { Command } from 'commander';
import { datasetNameSchema, type DatasetName } from '../../../domain/ids.js';
import { pauseBuild } from '../../runs/building/build-dataset.js';
import { openBuild } from '../../runs/building/dataset-files.js';
import { loadEnvironment } from '../../services/environment.js';
import { pausedBuildText } from '../../views/building-text.js';
import { parseArgument } from '../shared/arguments.js';
import { withSession } from '../shared/execute.js';

interface Json {
  readonly json?: true;
}

export function registerPauseBuild(command: Command): void {
  const dataset = parseArgument(datasetNameSchema);
  command
    .command('pause')
    .description('ask no model for a dataset any more: calls under way end, people go on deciding')
    .argument('<dataset>', 'its name', dataset)
    .option('--json', 'one JSON document')
    .action((name: DatasetName, { json }: Json) => setPaused(name, true, json));
  command
    .command('resume')
    .description('let a dataset go on that is paused')
    .argument('<dataset>', 'its name', dataset)
    .option('--json', 'one JSON document')
    .action((name: DatasetName, { json }: Json) => setPaused(name, false, json));
  command
    .command('prompts')
    .description(
      'what models are told for a dataset, by step, as `dataset build --prompts` reads it',
    )
    .argument('<dataset>', 'its name', dataset)
    .action(async (name: DatasetName) => {
      const { prompts } = await openBuild(loadEnvironment(), name);
      console.log(JSON.stringify(prompts.instructions, null, 1));
    });
}

async function setPaused(
  name: DatasetName,
  paused: boolean,
  json: true | undefined,
): Promise<void> {
  const environment = loadEnvironment();
  const progress = await withSession(environment, ({ client }) =>
    pauseBuild(client, environment, name, paused),
  );
  console.log(
    json ? JSON.stringify({ dataset: name, ...progress }, null, 1) : pausedBuildText(name, paused),
  );
}
