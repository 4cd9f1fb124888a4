import { markdownTable, type Findings } from '../benchmark.js';

/** How well one paper does by one measure. Sums over papers give the figures of the table. */
export interface Score {
  /** True items that were found. */
  readonly right: number;
  /** True items. */
  readonly expected: number;
  /** Found items that are right or wrong, without those that are neither. */
  readonly found: number;
  /** What to mend: lines of a short difference. */
  readonly faults: readonly string[];
}

/** A score by true items of which each fault is one that was missed. @param found - as many as true ones unless given */
export const scoreOf = (expected: number, faults: readonly string[], found = expected): Score => ({
  ...{ right: expected - faults.length, expected, found, faults },
});

/** A right or wrong answer to one question about a paper. */
export const verdict = (right: boolean, fault: string): Score => scoreOf(1, right ? [] : [fault]);

/** What good extraction reaches: shares from 0 to 1. */
export interface Aims {
  /** Of true items found. */
  readonly recall?: number;
  /** Of found items that are right. */
  readonly precision?: number;
}

/** The scores of papers by one measure. */
export interface Result {
  readonly name: string;
  readonly aims: Aims;
  /** How a paper's items become figures. @defaultValue recall, and precision where it has an aim */
  readonly as?: 'share missed' | 'F1';
  readonly scores: readonly PaperScore[];
}

export interface PaperScore {
  readonly paper: string;
  readonly score: Score;
}

/** A line of the table. */
export interface Row {
  readonly name: string;
  readonly papers: number;
  readonly items: number;
  readonly value: number;
  readonly aim: { readonly bound: 'at least' | 'at most'; readonly limit: number } | null;
}

/** The figures of a measure over all papers. A measure that fits no paper has none. */
export function rowsOf({ name, aims, as, scores }: Result): readonly Row[] {
  if (scores.length === 0) return [];
  const sumOf = (of: (score: Score) => number): number =>
    scores.reduce((sum, { score }) => sum + of(score), 0);
  const right = sumOf((score) => score.right);
  const expected = sumOf((score) => score.expected);
  const found = sumOf((score) => score.found);
  const row = (label: string, value: number, limit: number | undefined): Row => ({
    name: label,
    papers: scores.length,
    items: expected,
    value,
    aim:
      limit === undefined ? null : { bound: as === 'share missed' ? 'at most' : 'at least', limit },
  });
  const recall = share(right, expected);
  if (as === 'share missed') return [row(name, 1 - recall, aims.recall)];
  if (as === 'F1') {
    return [
      row(`${name}, over all`, f1({ right, expected, found }), aims.recall),
      row(`${name}, mean per PDF`, share(sumOf(f1), scores.length), aims.precision),
    ];
  }
  const rows = [row(name, recall, aims.recall)];
  if (aims.precision === undefined) return rows;
  return [...rows, row(`${name}, precision`, share(right, found), aims.precision)];
}

/** What was neither there nor found is all right. */
const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

const f1 = ({ right, expected, found }: Omit<Score, 'faults'>): number =>
  share(2 * right, expected + found);

/** Without the digits of a third. */
const shown = (limit: number): number => Number(limit.toFixed(3));

/** The table, and a sentence for each aim that is not reached. */
export function findingsOf(rows: readonly Row[], notes: readonly string[]): Findings {
  const table = markdownTable(
    ['', 'papers', 'items', 'measured', 'aim'],
    rows.map(({ name, papers, items, value, aim }) => [
      name,
      String(papers),
      String(items),
      value.toFixed(3),
      aim === null ? '' : `${aim.bound === 'at least' ? '≥' : '≤'} ${shown(aim.limit)}`,
    ]),
  );
  return {
    tables: [table, ...notes],
    figures: rows,
    problems: rows.flatMap(({ name, value, aim }) =>
      aim === null || (aim.bound === 'at least' ? value >= aim.limit : value <= aim.limit)
        ? []
        : [`${name}: ${value.toFixed(3)}, but must be ${aim.bound} ${shown(aim.limit)}`],
    ),
  };
}

const worstShown = 5;
const faultsShown = 12;
const longestFault = 200;

/** The papers with most faults, and the first faults of each. */
export function worstPapers({ name, scores }: Result): readonly string[] {
  return scores
    .filter(({ score }) => score.faults.length > 0)
    .sort((a, b) => b.score.faults.length - a.score.faults.length)
    .slice(0, worstShown)
    .map(({ paper, score: { right, expected, found, faults } }) =>
      [
        `${name}: ${paper}: ${right} of ${expected}, ${found} found`,
        ...faults.slice(0, faultsShown).map((fault) => `    ${fault.slice(0, longestFault)}`),
        ...(faults.length > faultsShown ? [`    … and ${faults.length - faultsShown} more`] : []),
      ].join('\n'),
    );
}
