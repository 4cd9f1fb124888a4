import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { datasetOf } from '../question-run.js';
import { turnwise, type Command } from './command-line.js';
import { kill } from './kill-service.js';

/** A run of generated questions, as a command starts it. */
export interface CommandedRun {
  /** TURNWISE_HOME of the command. */
  readonly home: string;
  /** The run's id. */
  readonly run: string;
  readonly questions: number;
  readonly inFlight: number | 'auto';
  /** Further options of the command. @defaultValue none */
  readonly options?: readonly string[];
}

/** `turnwise run`, which is started again after every kill, until it reports that the run is done. */
export interface RunCommand {
  readonly current: () => Command;
  /** How often it was started again. */
  readonly restarts: () => number;
  readonly done: Promise<void>;
  /** Ends it, done or not. */
  readonly stop: () => void;
}

/** Ends a call that hangs; the simulated model always replies sooner. */
const modelTimeoutSeconds = 10;

export function startRunCommand(
  { home, run, questions, inFlight, options = [] }: CommandedRun,
  settings: Readonly<Record<string, string>>,
  log: (step: string) => void,
): RunCommand {
  const dataset = join(home, `${run}.jsonl`);
  mkdirSync(home, { recursive: true });
  writeFileSync(dataset, datasetOf(questions));
  const args = [
    ...['run', dataset, '--store', 'examples', '--run', run, '--no-probe'],
    ...['--concurrency', String(inFlight), '--model-timeout', String(modelTimeoutSeconds)],
    ...options,
  ];
  let command = turnwise(args, settings);
  let restarts = 0;
  let isStopped = false;
  const untilDone = async (): Promise<void> => {
    for (;;) {
      const status = await command.ended;
      if (status === 0 || status === 1 || isStopped) return;
      log(
        status === null
          ? 'restarting the killed command'
          : `restarting the command, which failed: ${lastLine(command)}`,
      );
      restarts += 1;
      command = turnwise(args, settings);
    }
  };
  return {
    current: () => command,
    restarts: () => restarts,
    done: untilDone(),
    stop: () => {
      isStopped = true;
      if (command.child.exitCode === null) kill(-(command.child.pid ?? 0));
    },
  };
}

const lastLine = ({ lastOutput }: Command): string => lastOutput().trim().split('\n').at(-1) ?? '';
