import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { keysIn } from '../../domain/model-api.js';
import { pluginFile, type RunManifest } from '../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { ownScorerOf } from '../../domain/scoring/own-scorer.js';
import type { Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { loadPlugins, type LoadedPlugin } from '../../plugins/load-plugins.js';
import { createOwnCode, type OwnCode } from '../../plugins/own-code.js';
import { childEnvironment, workerProgram } from '../services/programs.js';
import type { RunFolder } from './run-folder.js';

export type { LoadedPlugin };

/** The user's own code, for the time that `work` needs it. */
export async function withOwnCode<T>(
  environment: Environment,
  work: (ownCode: OwnCode) => Promise<T>,
): Promise<T> {
  const thread = pathToFileURL(workerProgram('plugin-thread'));
  const home = environment.TURNWISE_HOME;
  const env = childEnvironment(environment);
  const ownCode = createOwnCode({ home, thread, env, secrets: keysIn(environment) });
  try {
    return await work(ownCode);
  } finally {
    await ownCode.close();
  }
}

/**
 * The plugins that a command is given, else those of TURNWISE_PLUGINS.
 * @throws UserError where one cannot be loaded
 */
export async function givenPlugins(
  given: readonly string[],
  environment: Environment,
): Promise<readonly LoadedPlugin[]> {
  const fromSettings = (environment.TURNWISE_PLUGINS ?? '').split(',').map((each) => each.trim());
  const paths = [...new Set(given.length > 0 ? given : fromSettings.filter((each) => each !== ''))];
  if (paths.length === 0) return [];
  return withOwnCode(environment, (ownCode) => loadPlugins(paths, ownCode));
}

/** The plugins of a run, with their code. Throws UserError where that is missing. */
export async function pluginsOfRun(
  folder: RunFolder,
  { config }: Pick<RunManifest, 'config'>,
): Promise<readonly LoadedPlugin[]> {
  return Promise.all(
    config.plugins.map(async (plugin) => {
      const code = await folder.read(pluginFile(plugin.sha256));
      if (code !== null) return { plugin, code };
      throw new UserError(
        `run ${folder.run} has lost the code of plugin ${plugin.path}: give it again with --plugin`,
      );
    }),
  );
}

/** The names of the scorers that plugins define. */
export const scorersOf = (plugins: readonly LoadedPlugin[]): ReadonlySet<string> =>
  new Set(plugins.flatMap(({ plugin }) => plugin.scorers));

/** Larger files are data. */
const mostBytes = 16_000_000;

/**
 * The files of the programs that score these questions, as their commands name them, each with the SHA-256 of its content.
 * The first word counts where no other is a file: otherwise it is what runs them.
 */
export function scorerFiles(
  items: readonly Pick<DatasetItem, 'evaluator'>[],
): Readonly<Record<string, string>> {
  const commands = new Set(
    items.flatMap(({ evaluator }) => {
      const scorer = ownScorerOf(evaluator);
      return scorer?.kind === 'program' ? [scorer.command] : [];
    }),
  );
  return Object.fromEntries(
    [...commands].flatMap((command) => {
      const [first, ...others] = wordsOf(command).map(hashed);
      const files = others.flat();
      return files.length > 0 ? files : (first ?? []);
    }),
  );
}

/** As a shell separates them, as far as that takes no shell. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

function hashed(word: string): readonly (readonly [string, string])[] {
  const found = statSync(word, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > mostBytes) return [];
  return [[word, createHash('sha256').update(readFileSync(word)).digest('hex')]];
}
