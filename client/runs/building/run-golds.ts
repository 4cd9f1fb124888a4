import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import { goldStatementsOf } from '../../../domain/scoring/execution-match/execution-options.js';
import { type Executed } from '../../../domain/scoring/execution-match/execution.js';
import { sum } from '../../../domain/statistics/means.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { executionsOn } from '../scoring/execute-answers.js';

/** What became of the gold SQL of a dataset, each of which was run once. */
export interface GoldRuns {
  /** Questions with gold SQL. */
  readonly questions: number;
  /** Of all golds, without waiting for each other. */
  readonly ms: number;
  readonly slowest: { readonly uuid: string; readonly ms: number } | null;
  /** Questions, in their order, with what is wrong with their golds. */
  readonly flaws: readonly { readonly uuid: string; readonly message: string }[];
}

/**
 * Runs every gold SQL. Null if there is none.
 * @param path - of the dataset: paths of databases are relative to it
 */
export async function runGolds(
  settings: StoreSettings,
  path: string,
  items: readonly DatasetItem[],
): Promise<GoldRuns | null> {
  const asked = items.flatMap(({ uuid, evaluator, database }) => {
    const statements = goldStatementsOf(evaluator);
    return statements.length > 0 && database ? [{ uuid, statements, database }] : [];
  });
  if (asked.length === 0) return null;
  const flaws = new Map<number, string>();
  const times: { uuid: string; ms: number }[] = [];
  const indexed = asked.map((each, index) => ({ ...each, index }));
  for await (const done of executionsOn(settings, path, indexed)) {
    const flaw = 'failure' in done ? done.failure : flawOf(done.execution.statements);
    if (flaw !== null) flaws.set(done.index, flaw);
    if ('ms' in done) times.push({ uuid: asked[done.index]?.uuid ?? '', ms: done.ms });
  }
  const [slowest = null] = times.toSorted((a, b) => b.ms - a.ms);
  return {
    ...{ questions: asked.length, ms: sum(times.map(({ ms }) => ms)), slowest },
    flaws: asked.flatMap(({ uuid }, index) => {
      const message = flaws.get(index);
      return message === undefined ? [] : [{ uuid, message }];
    }),
  };
}

function flawOf(statements: readonly { readonly executed: Executed }[]): string | null {
  for (const { executed } of statements) {
    switch (executed.kind) {
      case 'failed':
        return `its gold does not run: ${executed.message}`;
      case 'too-large':
        return `its gold gives more than ${executed.rows} rows, which no rule compares`;
      case 'rows':
        if (executed.result.rows.length === 0) return 'its gold gives no rows';
    }
  }
  return null;
}
