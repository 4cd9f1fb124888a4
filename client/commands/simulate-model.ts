import { once } from 'node:events';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { parseArgument, type CommandLine } from './shared/command-line.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { readScript } from '../../simulator/script.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import {
  faultNames,
  simulatorOptionsSchema,
  type SimulatorSettings,
} from '../../simulator/simulator-options.js';
import { readTextFile } from '../services/read-file.js';
import { print } from '../services/tell.js';

type Flags = Omit<SimulatorSettings, 'script' | 'faults' | 'limitChanges'> & {
  readonly script?: string;
  /** Of every command: there is no progress here. */
  readonly quiet?: boolean;
  readonly generatedTurns?: number;
  readonly fault?: SimulatorSettings['faults'];
  readonly limitChange?: SimulatorSettings['limitChanges'];
};

const options = simulatorOptionsSchema.shape;

export function registerSimulateModel(program: CommandLine): void {
  program
    .command('simulate-model')
    .description(
      'an endpoint of every API that no model stands behind: scripted replies, limits, faults',
    )
    .option('--script <file>', 'what is replied to which question, as JSON')
    .option(
      '--generated-turns <n>',
      'make up conversations of n turns for all other questions',
      number(z.int().min(1)),
    )
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <n>', 'a free one unless set', number(options.port))
    .option('--seed <n>', 'of latencies and faults', number(options.seed))
    .option('--latency-ms <n>', 'before each reply', number(options.latencyMs))
    .option(
      '--jitter <fraction>',
      'of the latency, by which it varies both ways',
      number(options.jitter),
    )
    .option('--batch-ms <n>', 'until a batch is answered', number(options.batchMs))
    .option('--requests-per-minute <n>', 'answer 429 above it', number(options.requestsPerMinute))
    .option('--tokens-per-minute <n>', 'answer 429 above it', number(options.tokensPerMinute))
    .option(
      '--burst-seconds <n>',
      "seconds' worth of a limit that may come at once",
      number(options.burstSeconds),
    )
    .option(
      '--limit-kind <kind>',
      'bucket: allowance flows back all the time; minute: it comes at the turn of each minute',
      parseArgument(options.limitKind),
    )
    .option(
      '--limit-change <seconds=factor>',
      'after so many seconds the limits are factor times what they were set to; may be repeated',
      addLimitChange,
    )
    .option(
      '--limit-headers <which>',
      'what replies say of the limits: all, retry-after or none',
      parseArgument(options.limitHeaders),
    )
    .option(
      '--fault <name=rate>',
      `let this share of requests fail: ${faultNames.join(', ')}; may be repeated`,
      addFault,
    )
    .option(
      '--failing-questions <fraction>',
      'of questions to which every request fails with status 500',
      number(options.failingQuestions),
    )
    .option(
      '--tokens-per-picture <tokens>',
      'billed for each picture of a request',
      number(options.tokensPerPicture),
    )
    .option(
      '--text-token-ratio <ratio>',
      'prompt tokens billed for each token that it counts in a text',
      number(options.textTokenRatio),
    )
    .option(
      '--cache-writes <fraction>',
      'of uncached prompt tokens that are billed as written to a cache',
      number(options.cacheWrites),
    )
    .option('--prefix-cache', 'cache prompts by prefix, once one of them was replied to')
    .option(
      '--judge-disagrees <fraction>',
      'of answers about which it says, as a judge, the opposite of what it finds',
      number(options.judgeDisagrees),
    )
    .option(
      '--judge-unreadable <fraction>',
      'of answers about which it never says, as a judge, anything readable',
      number(options.judgeUnreadable),
    )
    .option('--log <file>', 'append a JSON line for every request and every reply')
    .action(simulateModel);
}

async function simulateModel({
  script: path,
  generatedTurns,
  fault,
  limitChange,
  quiet,
  ...rest
}: Flags): Promise<void> {
  const script = path === undefined ? {} : readScript(path, readTextFile);
  const generated = generatedTurns === undefined ? {} : { generated: { turns: generatedTurns } };
  const model = await listening({
    ...rest,
    script: { ...script, ...generated },
    faults: fault,
    limitChanges: limitChange,
  });
  print(`Simulated model at ${model.url}: replies are scripted, no language model is asked.`);
  print(
    `OPENAI_BASE_URL=${model.url} points turnwise at it; ${new URL('/simulator/stats', model.url).href} counts its calls.`,
  );
  print(
    `For the other APIs: ANTHROPIC_BASE_URL=${model.urls.anthropic} and GEMINI_BASE_URL=${model.urls.gemini}.`,
  );
  print('Ctrl-C stops it.');
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await model.close();
}

async function listening(settings: SimulatorSettings): Promise<SimulatedModel> {
  try {
    return await startSimulatedModel(settings);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'listen')) throw error;
    throw new UserError(
      `The simulated model cannot listen (${error.message}): choose another --port or --host.`,
      exitStatus.serviceUnreachable,
    );
  }
}

const number = (field: z.ZodType<unknown, number | undefined>): ((text: string) => unknown) =>
  parseArgument(
    z.coerce
      .number()
      .transform((value): number | undefined => value)
      .pipe(field),
  );

function addLimitChange(
  text: string,
  earlier: NonNullable<Flags['limitChange']> = [],
): Flags['limitChange'] {
  const [seconds, factor] = text.split('=').map(Number);
  const changes = options.limitChanges.safeParse([...earlier, { afterSeconds: seconds, factor }]);
  if (changes.success) return changes.data;
  throw new InvalidArgumentError(
    'It must be a number of seconds, then = and a positive factor, such as 150=0.5.',
  );
}

function addFault(text: string, earlier: Flags['fault'] = {}): Flags['fault'] {
  const [name = '', rate] = text.split('=');
  const faults = options.faults.safeParse({ ...earlier, [name]: Number(rate) });
  if (faults.success) return faults.data;
  throw new InvalidArgumentError(
    `It must be one of ${faultNames.join(', ')}, then = and a share; all shares together at most 1.`,
  );
}
