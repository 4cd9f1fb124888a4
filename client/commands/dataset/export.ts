import type { Command } from 'commander';
import { datasetNameSchema, type DatasetName } from '../../../domain/ids.js';
import { counted } from '../../../domain/formats/text.js';
import { UserError } from '../../../domain/user-error.js';
import { writeFileAtomically } from '../../../storage/atomic-file.js';
import { datasetLines, datasetStatus } from '../../runs/building/export-dataset.js';
import { loadEnvironment } from '../../services/environment.js';
import { datasetStatusText } from '../../views/building-text.js';
import { parseArgument } from '../shared/arguments.js';

export function registerExport(command: Command): void {
  const dataset = parseArgument(datasetNameSchema);
  command
    .command('status')
    .description('how far a dataset is, agreement, near-duplicates, and Table 1 of what is done')
    .argument('<dataset>', 'its name', dataset)
    .option('--json', 'one JSON document')
    .action(status);
  command
    .command('export')
    .description('write the items that are done as a dataset that `turnwise run` reads')
    .argument('<dataset>', 'its name', dataset)
    .option('--out <file>', 'the dataset (default: DATASET.jsonl in this folder)')
    .option('--json', 'one JSON document')
    .action(exportDataset);
}

async function status(name: DatasetName, { json }: { readonly json?: true }): Promise<void> {
  const found = await datasetStatus(loadEnvironment(), name);
  console.log(json ? JSON.stringify(found, null, 1) : datasetStatusText(found));
}

async function exportDataset(
  name: DatasetName,
  { out = `${name}.jsonl`, json }: { readonly out?: string; readonly json?: true },
): Promise<void> {
  const { lines, notDone } = await datasetLines(loadEnvironment(), name);
  if (lines.length === 0) {
    throw new UserError(
      `no item of dataset ${name} is done: \`turnwise dataset gates ${name}\` lists those that wait for a decision`,
    );
  }
  await writeFileAtomically(out, lines.map((line) => `${line}\n`).join(''));
  console.log(
    json
      ? JSON.stringify({ out, items: lines.length, notDone }, null, 1)
      : `${counted(lines.length, 'item')} written to ${out}${notDone === 0 ? '' : `; ${notDone} are not done, or rejected`}`,
  );
}
