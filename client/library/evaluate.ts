import { CommanderError } from 'commander';
import { exactJson } from '../../domain/formats/json.js';
import type { Options } from '../../domain/option.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import { UserError } from '../../domain/user-error.js';
import { plannedRun, runOptions, type RunFlags } from '../commands/run.js';
import { flagOf, CommandLine } from '../commands/shared/command-line.js';
import { executeRun } from '../runs/execute-run.js';
import { writeRun } from '../runs/prepare-run.js';
import { withServices } from '../services/session.js';
import { note } from '../services/tell.js';
import { totalsOf } from '../views/end-report.js';
import type { RunOptions } from './run-options.js';
import { endedProgress, environmentOf, progressOf, storedRun } from './stored-run.js';
import type { EvaluateOptions, Run } from './surface.js';

/**
 * Asks every question to its end, as `turnwise run` does, and starts services where none run. A run that was interrupted
 * goes on where it was when `evaluate` is called again with the same options and `run`.
 * @throws TurnwiseError with one sentence, before anything is spent where the options are wrong; later if the run cannot go on
 */
export async function evaluate(options: EvaluateOptions): Promise<Run> {
  const { questions, settings = {}, onProgress = () => undefined, ...given } = options;
  const environment = environmentOf(settings);
  const asked =
    typeof questions === 'string'
      ? { path: questions }
      : {
          path: 'questions.jsonl',
          questions: questions.map((each) => `${exactJson(each)}\n`).join(''),
        };
  const { plan, request } = await plannedRun(asked, flagsIn(given), environment);
  for (const each of plan.notes) note(each);
  const { manifest, kind } = await writeRun(plan, request);
  const watcher = {
    onProgress: (progress: RunProgress) => onProgress(progressOf(progress, manifest)),
    onSilence: note,
  };
  await withServices(environment, async (session) => {
    const tuning = kind === 'new' ? {} : request.tuning;
    const end = await executeRun(session, environment, manifest, watcher, tuning);
    onProgress(endedProgress(totalsOf(manifest.run, end), manifest));
  });
  return storedRun(environment, manifest.run);
}

/** As the parser of `turnwise run` reads them: what it refuses is refused here, in the same sentence. */
function flagsIn(given: RunOptions): RunFlags {
  const options: Options = runOptions;
  const parser = new CommandLine('run').exitOverride().takes(options);
  parser.helpOption(false).configureOutput({ writeErr: () => undefined });
  const isOff = (name: string, value: unknown): boolean =>
    value === false && options[name]?.value === null;
  const words = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined || isOff(name, value)) return [];
    if (value === true) return [flagOf(name)];
    return [value].flat().map((each) => `${flagOf(name)}=${each}`);
  });
  // A switch that is off may be on in turnwise.yaml.
  const off = Object.entries(given).filter(([name, value]) => isOff(name, value));
  try {
    const flags = parser.parse(words, { from: 'user' }).opts<RunFlags>();
    return { ...flags, ...Object.fromEntries(off) };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new UserError(error.message.replace(/^error: /, ''));
  }
}
