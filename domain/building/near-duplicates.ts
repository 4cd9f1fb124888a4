/** Two questions that say nearly the same. */
export interface NearDuplicate {
  readonly a: string;
  readonly b: string;
  /** The share of their word pairs that they have in common, from 0 to 1. */
  readonly similarity: number;
}

/** Questions below this have different subjects, or the same one asked differently. */
export const nearDuplicateFrom = 0.6;

/**
 * The pairs of questions that have many word pairs in common, the most similar first. A word pair is two words
 * that follow each other, whatever their case.
 */
export function nearDuplicates(
  questions: readonly { readonly id: string; readonly question: string }[],
): readonly NearDuplicate[] {
  const shingles = questions.map(({ question }) => wordPairs(question));
  const holders = new Map<string, number[]>();
  const found: NearDuplicate[] = [];
  for (const [place, own] of shingles.entries()) {
    const shared = new Map<number, number>();
    for (const pair of own) {
      const others = holders.get(pair) ?? [];
      for (const other of others) shared.set(other, (shared.get(other) ?? 0) + 1);
      others.push(place);
      holders.set(pair, others);
    }
    for (const [other, count] of shared) {
      const similarity = count / (own.size + (shingles[other]?.size ?? 0) - count);
      if (similarity < nearDuplicateFrom) continue;
      found.push({ a: questions[other]?.id ?? '', b: questions[place]?.id ?? '', similarity });
    }
  }
  return found.sort((x, y) => y.similarity - x.similarity || x.a.localeCompare(y.a, 'en'));
}

function wordPairs(question: string): ReadonlySet<string> {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.length < 2 ? words : words.slice(1).map((word, index) => `${words[index] ?? ''} ${word}`),
  );
}
