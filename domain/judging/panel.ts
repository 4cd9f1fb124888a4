import { unscored, type Verdict } from '../scoring/verdict.js';

/** How the verdicts of several judges become one. */
export const combinations = ['majority', 'mean'] as const;
export type Combination = (typeof combinations)[number];

/**
 * One verdict of those of all judges. Who said nothing readable is not counted out: only where the verdict would be the
 * same whatever they had said is there one.
 * @param verdicts - one a judge, at least one
 */
export function panelVerdict(verdicts: readonly Verdict[], combination: Combination): Verdict {
  const [first] = verdicts;
  if (first === undefined) throw new Error('a panel has at least one judge');
  if (verdicts.length === 1) return first;
  const missing = verdicts.filter((verdict) => verdict.kind === 'unscored');
  const found = verdicts.filter((verdict) => verdict.kind === 'scored');
  const score = combination === 'mean' ? meanOf : majorityOf;
  const [least, most] = [0, 1].map((unsaid) =>
    score([...found.map((verdict) => verdict.score), ...missing.map(() => unsaid)]),
  );
  const [lost] = missing;
  if (least === undefined || least === null || least !== most)
    return lost ?? unscored('judges-tied');
  const raw = found.flatMap(({ rawScore }) => rawScore ?? []);
  return {
    kind: 'scored',
    score: least,
    ...(raw.length > 0 && { rawScore: least * 10 }),
    rationale: verdicts.map(opinion).join('\n'),
  };
}

const meanOf = (scores: readonly number[]): number =>
  scores.reduce((sum, score) => sum + score, 0) / scores.length;

/** What most judges found, or of grades the middle one; null for a tie. */
function majorityOf(scores: readonly number[]): number | null {
  const sorted = scores.toSorted((a, b) => a - b);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  return lower === undefined || lower !== upper ? null : lower;
}

const opinion = (verdict: Verdict, index: number): string =>
  verdict.kind === 'scored'
    ? `judge ${index + 1}, ${verdict.score}: ${verdict.rationale ?? ''}`
    : `judge ${index + 1}: ${verdict.reason}`;
