import { didYouMean } from '../../../domain/formats/did-you-mean.js';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { UserError } from '../../../domain/user-error.js';

/**
 * The runs that names and patterns mean, each once. In a pattern `*` stands for any characters and `?` for one.
 * @param known - all there are
 * @throws UserError if one means none, with the names that are most like it
 */
export const chooseRuns = (names: readonly string[], known: readonly RunId[]): readonly RunId[] => [
  ...new Set(names.flatMap((name) => meant(name, known))),
];

function meant(name: string, known: readonly RunId[]): readonly RunId[] {
  if (/[*?]/.test(name)) {
    const pattern = patternOf(name);
    const matching = known.filter((run) => pattern.test(run));
    if (matching.length > 0) return matching;
    throw new UserError(`no run matches ${name}; \`turnwise runs\` lists those there are`);
  }
  const run = known.find((each) => each === name);
  if (run !== undefined) return [run];
  const called = runIdSchema.safeParse(name).success ? name : JSON.stringify(name);
  throw new UserError(
    `there is no run ${called}${didYouMean(name, known)}; \`turnwise runs\` lists those there are`,
  );
}

function patternOf(name: string): RegExp {
  const parts = name.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${parts.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}
