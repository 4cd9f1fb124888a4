import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import type { Log } from '../benchmark.js';
import { conversationsOf, datasetOf, withModel } from '../question-run.js';
import { turnwise, kill, type Command } from './command-line.js';

/** A run of questions whose conversations the simulated model generates, as a command starts it. */
export interface CommandedRun {
  /** TURNWISE_HOME of the command. It, or what `environment` names, has a store named `examples`. */
  readonly home: string;
  /** The run's id. */
  readonly run: string;
  readonly questions: number;
  readonly turns: number;
  readonly inFlight: number | 'auto';
  readonly model: Omit<SimulatorSettings, 'script'>;
  /** Further options of the command. @defaultValue none */
  readonly options?: readonly string[];
  /** More of its environment. @defaultValue nothing */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Its model, which answers until the work is done, and what starts its command, again and again. */
export interface ReadyRun {
  readonly model: SimulatedModel;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: () => Command;
}

/** Ends a call that hangs; the simulated model always replies sooner. */
export const endsHangingCalls = ['--model-timeout', '10'];

export const withRun = <T>(
  { home, run, questions, turns, inFlight, options = [], ...given }: CommandedRun,
  work: (ready: ReadyRun) => Promise<T>,
): Promise<T> =>
  withModel({ ...given.model, script: conversationsOf(turns) }, (model) => {
    const dataset = join(home, `${run}.jsonl`);
    mkdirSync(home, { recursive: true });
    writeFileSync(dataset, datasetOf(questions));
    const environment = {
      ...{ OPENAI_API_KEY: 'sk-chaos', OPENAI_BASE_URL: model.url },
      ...given.environment,
      TURNWISE_HOME: home,
    };
    const args = [
      ...['run', dataset, '--store', 'examples', '--run', run, '--no-probe'],
      ...['--concurrency', String(inFlight), ...options],
    ];
    return work({ model, environment, command: () => turnwise(args, environment) });
  });

/** A command that is started again after every kill, until it reports that the run is done. */
interface KeptCommand {
  readonly current: () => Command;
  /** How often it was started again. */
  readonly restarts: () => number;
  readonly done: Promise<void>;
  /** Ends it, done or not. */
  readonly stop: () => void;
}

export function keepRunning(start: () => Command, log: Log): KeptCommand {
  let command = start();
  let restarts = 0;
  let isStopped = false;
  const untilDone = async (): Promise<void> => {
    for (;;) {
      const status = await command.ended;
      if (status === 0 || status === 1 || isStopped) return;
      const lastLine = command.lastOutput().trim().split('\n').at(-1) ?? '';
      log(
        status === null
          ? 'restarting the killed command'
          : `restarting the command, which failed: ${lastLine}`,
      );
      restarts += 1;
      command = start();
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
