import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { flag, option, whole, type FlagsOf } from '../../domain/option.js';
import { resultsFile, trajectoryFile } from '../../domain/runs/run-layout.js';
import { resultSchema, type Result } from '../../domain/agent/question-result.js';
import { didYouMean } from '../../domain/formats/did-you-mean.js';
import {
  isSameSample,
  runIdSchema,
  type QuestionId,
  type RunId,
  type SampleKey,
} from '../../domain/ids.js';
import { messageSchema } from '../../domain/models/chat-message.js';
import { UserError } from '../../domain/user-error.js';
import { papersOfRun } from '../runs/stores/store-papers.js';
import { RunFolder } from '../runs/run-folder.js';
import { loadEnvironment } from '../services/environment.js';
import { trajectoryText } from '../views/conversation/trajectory-text.js';
import { addOptions, parseArgument } from './shared/arguments.js';
import { print, printJson } from '../services/tell.js';

const trajectoryOptions = {
  epoch: option('<n>', 'which time it was asked', whole(1, 1000).default(1)),
  prompt: flag('show the prompt whole, and not only how its messages begin'),
  out: option('<file>', 'write the messages there, one JSON object a line'),
  json: flag('print the messages as one JSON document'),
};
type TrajectoryFlags = FlagsOf<typeof trajectoryOptions>;

export function registerTrajectory(program: Command): void {
  const command = program
    .command('trajectory')
    .description('one conversation, as text or (--out) as JSONL')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .argument('<question>', 'uuid of the question, or how it begins');
  addOptions(command, trajectoryOptions).action(printTrajectory);
}

async function printTrajectory(run: RunId, begins: string, flags: TrajectoryFlags): Promise<void> {
  const folder = RunFolder.of(loadEnvironment(), run);
  const papers = await papersOfRun(folder.place, await folder.manifest());
  const key: SampleKey = { uuid: await questionOf(folder, begins), epoch: flags.epoch };
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
  }
}

/** The question of that uuid, or the only one whose uuid begins so. Throws UserError where that is not one. */
async function questionOf(folder: RunFolder, begins: string): Promise<QuestionId> {
  const uuids = (await folder.items()).map(({ uuid }) => uuid);
  const same = uuids.find((uuid) => uuid === begins);
  if (same !== undefined) return same;
  const [first, ...others] = uuids.filter((uuid) => begins !== '' && uuid.startsWith(begins));
  if (first === undefined) {
    throw new UserError(
      `run ${folder.run} has no question ${begins}${didYouMean(begins, uuids)}; \`turnwise status ${folder.run} --json\` lists those it has`,
    );
  }
  if (others.length === 0) return first;
  throw new UserError(
    `${others.length + 1} questions of run ${folder.run} begin with ${begins}: ${[first, ...others].slice(0, 5).join(', ')}${others.length > 4 ? ', …' : ''}`,
  );
}

async function resultOf(folder: RunFolder, key: SampleKey): Promise<Result | null> {
  let found: Result | null = null;
  await folder.eachLine(resultsFile, resultSchema, (result) => {
    if (isSameSample(result, key)) found = result;
  });
  return found;
}
