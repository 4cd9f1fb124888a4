import { v5 as uuid5 } from 'uuid';
import { firstIssue } from '../../formats/json.js';
import { datasetItemSchema, evaluatorOf, scoringProblems } from '../../scoring/dataset-item.js';
import { countsOf } from '../../statistics/means.js';
import type { ImportedQuestions } from './imported-question.js';

export type MadeDataset =
  | {
      readonly kind: 'dataset';
      /** Of the dataset, each a JSON object. */
      readonly lines: readonly string[];
      /** Questions that nothing can score. */
      readonly unscored: number;
      /** What is probably meant differently, each naming its place. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** What the question's own fields are called. */
const ownFields = ['uuid', 'question', 'evaluator'] as const;

/**
 * Makes a dataset of questions from elsewhere. A question without an id gets one that follows from its text, so that the
 * same file makes the same dataset whatever is added to it later.
 */
export function makeDataset({ questions, problems, leftOut = [] }: ImportedQuestions): MadeDataset {
  const flaws = [...problems];
  const warnings: string[] = [];
  const lines: string[] = [];
  let unscored = 0;
  const placeOf = new Map<string, string>();
  const timesSeen = new Map<string, number>();
  for (const { place, uuid: given, question, evaluator, others } of questions) {
    const seen = timesSeen.get(question) ?? 0;
    timesSeen.set(question, seen + 1);
    const uuid = given ?? uuid5(`${question}\n${seen}`, uuid5.URL);
    const item = { ...others, uuid, question, ...(evaluator && { evaluator }) };
    for (const name of ownFields.filter((field) => Object.hasOwn(others, field))) {
      flaws.push(
        `${place}: ${name} would be lost, since a dataset means something else by it: call it otherwise`,
      );
    }
    const parsed = datasetItemSchema.safeParse(item);
    if (parsed.success && evaluatorOf(parsed.data) === undefined) unscored += 1;
    const earlier = placeOf.get(uuid);
    placeOf.set(uuid, place);
    if (!parsed.success) flaws.push(`${place}: ${firstIssue(parsed.error)}`);
    else if (earlier !== undefined)
      flaws.push(`${place}: uuid ${uuid} stands at ${earlier} already`);
    for (const { severity, message } of parsed.success ? scoringProblems(parsed.data) : []) {
      (severity === 'error' ? flaws : warnings).push(`${place}: ${message}`);
    }
    lines.push(JSON.stringify(item));
  }
  if (flaws.length > 0) return { kind: 'problems', problems: flaws };
  if (lines.length === 0) {
    const reasons = [...countsOf(leftOut)].map(([reason, count]) => `${count} × ${reason}`);
    const left = reasons.length > 0 ? `, all were left out: ${reasons.join(', ')}` : '';
    return { kind: 'problems', problems: [`it holds no questions${left}`] };
  }
  return { kind: 'dataset', lines, unscored, warnings };
}
