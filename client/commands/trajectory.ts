import type { CommandLine } from './shared/command-line.js';
import { writeFileSync } from 'node:fs';
import { flag, option, whole, type FlagsOf } from '../../domain/option.js';
import { resultsFile, trajectoryFile, notesAbout } from '../../domain/runs/run-manifest.js';
import { resultSchema, type Result } from '../../domain/agent/question-result.js';
import { isSameSample, type RunId, type SampleKey } from '../../domain/ids.js';
import { messageSchema } from '../../domain/models/chat-message.js';
import { UserError } from '../../domain/user-error.js';
import { papersOfRun } from '../runs/stores/store-papers.js';
import { RunFolder } from '../runs/run-folder.js';
import { loadEnvironment } from '../services/environment.js';
import { noteLine } from '../views/run-text.js';
import { trajectoryText } from '../views/trajectory-text.js';
import { print, printJson } from '../services/tell.js';

const trajectoryOptions = {
  epoch: option('<n>', 'which time it was asked', whole(1, 1000).default(1)),
  prompt: flag('show the prompt whole, and not only how its messages begin'),
  out: option('<file>', 'write the messages there, one JSON object a line'),
  json: flag('print the messages as one JSON document'),
};
type TrajectoryFlags = FlagsOf<typeof trajectoryOptions>;

export function registerTrajectory(program: CommandLine): void {
  program
    .commandOnRun('trajectory', 'one conversation, as text or (--out) as JSONL')
    .argument('<question>', 'uuid of the question, or how it begins')
    .takes(trajectoryOptions)
    .action(printTrajectory);
}

async function printTrajectory(run: RunId, begins: string, flags: TrajectoryFlags): Promise<void> {
  const folder = RunFolder.of(loadEnvironment(), run);
  const papers = await papersOfRun(folder.place, await folder.manifest());
  const key: SampleKey = { uuid: await folder.question(begins), epoch: flags.epoch };
  const file = trajectoryFile(key);
  const messages = await folder.readLines(file, messageSchema);
  if (messages.length === 0) {
    throw new UserError(
      `question ${key.uuid} of run ${run} has not ended${flags.epoch > 1 ? ` in epoch ${flags.epoch}` : ''}: its trajectory is written when it does`,
    );
  }
  if (flags.out !== undefined) {
    writeFileSync(flags.out, (await folder.read(file)) ?? '');
    print(`${messages.length} messages written to ${flags.out}`);
  } else if (flags.json) {
    printJson(messages);
  } else {
    const item = (await folder.items()).find(({ uuid }) => uuid === key.uuid);
    const named = item?.anchor_pdf.flatMap((id) => papers.get(id) ?? []) ?? [];
    const isWhole = flags.prompt ?? false;
    const how = { isWhole, papers: named };
    print(trajectoryText(messages, await resultOf(folder, key), how));
    for (const note of notesAbout(await folder.notes(), key)) print(`\n${noteLine(note)}`);
  }
}

async function resultOf(folder: RunFolder, key: SampleKey): Promise<Result | null> {
  let found: Result | null = null;
  await folder.eachLine(resultsFile, resultSchema, (result) => {
    if (isSameSample(result, key)) found = result;
  });
  return found;
}
