import type { PythonValue } from '../python/value.js';
import { EvaluatorError, type Comparison, type Options } from './comparison.js';
import { membersOf, required } from './options.js';
import { readList } from './readings.js';
import type { Scorer } from './scorers.js';
import { scored, type Verdict } from './verdict.js';

type FindScorer = (name: string) => Scorer | undefined;

/** One member of the answer for each part; all must pass. A part without a verdict leaves the whole without one, unless another fails. */
export const conjunction =
  (find: FindScorer): Scorer =>
  (answer, comparison) =>
    combine(partVerdicts(answer, comparison, find), {
      decides: (score) => score < 0.5,
      decided: false,
    });

/** One member of the answer for each part; one must pass. It is not one answer with several ways to be right. */
export const disjunction =
  (find: FindScorer): Scorer =>
  (answer, comparison) =>
    combine(partVerdicts(answer, comparison, find), {
      decides: (score) => score > 0.5,
      decided: true,
    });

/** One less the inner score, of the answer as it stands: whatever fails succeeds here. */
export const negation =
  (find: FindScorer): Scorer =>
  (answer, comparison) => {
    const name = required(comparison.options, 'eval_func');
    const inner = required(comparison.options, 'eval_kwargs');
    const verdict = score(answer, { name, options: optionsOf(inner) }, comparison, find);
    return verdict.kind === 'scored' ? { kind: 'scored', score: 1 - verdict.score } : verdict;
  };

/** Null when the answer has not a member for each part. Lazy: parts behind the one that decides are never looked at. */
function partVerdicts(
  answer: PythonValue,
  comparison: Comparison,
  find: FindScorer,
): Iterable<Verdict> | null {
  const names = membersOf(required(comparison.options, 'eval_func_list'), 'eval_func_list');
  const inner = membersOf(required(comparison.options, 'eval_kwargs_list'), 'eval_kwargs_list');
  if (comparison.mode === 'default' && inner.length !== names.length) {
    throw new EvaluatorError('eval_func_list and eval_kwargs_list differ in length');
  }
  const members = readList(answer, comparison.mode);
  if (members.length !== names.length) return null;
  return (function* () {
    for (const [index, member] of members.entries()) {
      const [name, options] = [names[index], inner[index]];
      // The reference goes on to the end of the shortest list: a part without options counts as passed.
      if (name === undefined || options === undefined) return;
      yield score(member, { name, options: optionsOf(options) }, comparison, find);
    }
  })();
}

function combine(
  verdicts: Iterable<Verdict> | null,
  { decides, decided }: { readonly decides: (score: number) => boolean; readonly decided: boolean },
): Verdict {
  if (verdicts === null) return scored(false);
  let open: Verdict | undefined;
  for (const verdict of verdicts) {
    if (verdict.kind === 'unscored') open ??= verdict;
    else if (decides(verdict.score)) return scored(decided);
  }
  return open ?? scored(!decided);
}

function score(
  answer: PythonValue,
  part: { readonly name: PythonValue; readonly options: Options },
  { mode }: Comparison,
  find: FindScorer,
): Verdict {
  const scorer = part.name.kind === 'str' ? find(part.name.value) : undefined;
  if (!scorer) throw new EvaluatorError('an inner function is unknown');
  return scorer(answer, { options: part.options, mode });
}

function optionsOf(value: PythonValue): Options {
  if (value.kind !== 'dict')
    throw new EvaluatorError('the options of an inner function are no object');
  return new Map(
    value.entries.flatMap(([key, option]) => (key.kind === 'str' ? [[key.value, option]] : [])),
  );
}
