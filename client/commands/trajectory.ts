import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { questionIdSchema, runIdSchema, type QuestionId, type RunId } from '../../domain/ids.js';
import { contentText, messageSchema } from '../../domain/models/chat-message.js';
import { trajectoryFile } from '../../domain/runs/run-layout.js';
import { UserError } from '../../domain/user-error.js';
import { RunFolder } from '../runs/run-folder.js';
import { loadEnvironment } from '../services/environment.js';
import { parseArgument, wholeNumber } from './shared/arguments.js';

interface TrajectoryFlags {
  readonly epoch: number;
  readonly out?: string;
  readonly json?: true;
}

export function registerTrajectory(program: Command): void {
  program
    .command('trajectory')
    .description('one conversation, as text or (--out) as JSONL')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .argument('<question>', 'uuid of the question', parseArgument(questionIdSchema))
    .option('--epoch <n>', 'which time it was asked', wholeNumber(1, 1000), 1)
    .option('--out <file>', 'write the messages there, one JSON object a line')
    .option('--json', 'print the messages as one JSON document')
    .action(printTrajectory);
}

async function printTrajectory(
  run: RunId,
  uuid: QuestionId,
  flags: TrajectoryFlags,
): Promise<void> {
  const folder = RunFolder.of(loadEnvironment(), run);
  await folder.manifest();
  const file = trajectoryFile({ uuid, epoch: flags.epoch });
  const messages = await folder.readLines(file, messageSchema);
  if (messages.length === 0) {
    throw new UserError(
      (await folder.hasQuestion(uuid))
        ? `question ${uuid} of run ${run} has not ended${flags.epoch > 1 ? ` in epoch ${flags.epoch}` : ''}: its trajectory is written when it does`
        : `run ${run} has no question ${uuid}; \`turnwise status ${run} --json\` lists those it has`,
    );
  }
  if (flags.out !== undefined) {
    writeFileSync(flags.out, (await folder.read(file)) ?? '');
    console.log(`${messages.length} messages written to ${flags.out}`);
  } else if (flags.json) {
    console.log(JSON.stringify(messages, null, 1));
  } else {
    console.log(
      messages.map(({ role, content }) => `── ${role}\n${contentText(content)}`).join('\n\n'),
    );
  }
}
