import { option, type FlagsOf } from '../../../domain/option.js';
import type { pluginOption } from '../../../domain/runs/run-options.js';
import type { Environment } from '../../../domain/settings.js';
import type { OwnScorer } from '../../../domain/scoring/own-scorer.js';
import { UserError } from '../../../domain/user-error.js';
import { givenPlugins, scorersOf, type LoadedPlugin } from '../../runs/own-code.js';

export const pluginsOf = (
  { plugin = [] }: FlagsOf<typeof pluginOption>,
  environment: Environment,
): Promise<readonly LoadedPlugin[]> => givenPlugins(plugin, environment);

export interface OwnScorerFlags {
  readonly scorer?: string | undefined;
  readonly scorerProgram?: string;
}

export const programOption = {
  scorerProgram: option(
    '<command>',
    'a program of your own that scores every answer: a line of JSON in, a line of JSON out',
  ),
};

/**
 * The scorer of the user's that a command is given; null if there is none. Throws UserError if no plugin has it.
 * @param known - names that are no scorers of plugins
 */
export function ownScorerIn(
  { scorer, scorerProgram }: OwnScorerFlags,
  plugins: readonly LoadedPlugin[],
  known: readonly string[] = [],
): OwnScorer | null {
  const isNamed = scorer !== undefined && !known.includes(scorer);
  if (scorer !== undefined && scorerProgram !== undefined) {
    throw new UserError('--scorer and --scorer-program exclude each other');
  }
  if (scorerProgram !== undefined) {
    if (scorerProgram.trim() === '') throw new UserError('--scorer-program is an empty command');
    return { kind: 'program', command: scorerProgram };
  }
  if (!isNamed) return null;
  const names = scorersOf(plugins);
  if (names.has(scorer)) return { kind: 'plugin', name: scorer };
  const choices = [...known, ...names];
  throw new UserError(
    choices.length === 0
      ? `there is no scorer ${scorer}: name the file that has it with --plugin`
      : `there is no scorer ${scorer}: choose one of ${choices.join(', ')}${names.size === 0 ? ', or one of a --plugin' : ''}`,
  );
}
