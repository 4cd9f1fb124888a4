import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { ratio } from '../../../domain/scoring/fuzzy-matching.js';
import { UserError } from '../../../domain/user-error.js';

/** Of 100: below it two names have little in common. */
const alike = 60;
const proposed = 3;

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
  const like = known
    .map((each) => ({ each, likeness: ratio(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ likeness }) => likeness >= alike)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, proposed)
    .map(({ each }) => each);
  const called = runIdSchema.safeParse(name).success ? name : JSON.stringify(name);
  throw new UserError(
    like.length > 0
      ? `there is no run ${called}; did you mean ${like.join(' or ')}?`
      : `there is no run ${called}; \`turnwise runs\` lists those there are`,
  );
}

function patternOf(name: string): RegExp {
  const parts = name.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${parts.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}
