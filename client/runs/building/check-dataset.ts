import {
  absentTextsSql,
  checkDataset,
  normalText,
  soughtTexts,
  type CheckedLine,
} from '../../../domain/building/dataset-check.js';
import { readDatasetLines } from '../../../domain/runs/dataset.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import type { DatasetCheck } from '../../../domain/scoring/dataset-fault.js';
import { goldToCheck } from '../../../domain/scoring/execution-match/check-gold.js';
import type {
  ExecutionDone,
  ExecutionTask,
} from '../../../domain/scoring/execution-match/execution.js';
import { describeStore } from '../../../domain/stores/database-ddl.js';
import { databaseKey } from '../../../domain/stores/database.js';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { readLinesFile } from '../../services/read-file.js';
import { databasesOf, executeTasks } from '../scoring/execute-answers.js';

export interface DatasetToCheck {
  readonly path: string;
  /** Null where none is given. */
  readonly store: StoreManifest | null;
  /** The scorers of plugins. */
  readonly own: ReadonlySet<string>;
  readonly skip: ReadonlySet<DatasetCheck>;
}

/**
 * Checks every line of a dataset, and executes its gold SQL.
 * @throws UserError where the file cannot be read, or holds nothing
 */
export async function checkDatasetFile(
  settings: StoreSettings,
  { path, store, own, skip }: DatasetToCheck,
): Promise<readonly CheckedLine[]> {
  const lines = readDatasetLines(readLinesFile(path), own);
  const items = lines.items.map(({ item }) => item);
  if (items.length + lines.problems.length === 0) {
    throw new UserError(`${path}: it holds no questions`);
  }
  const sources = items.flatMap(({ database }) => database ?? []);
  const databases = await databasesOf(settings, path, sources);
  const stored =
    store && ({ kind: 'store', name: store.name, fingerprint: store.fingerprint } as const);
  const timeoutMs = defaultRunConfig.toolTimeoutMs;
  const unread = new Map<string, string>();
  const tasks = items.flatMap(({ uuid, evaluator, database: source }, index): ExecutionTask[] => {
    const imported = source && databases.get(databaseKey(source));
    if (imported?.kind === 'refused') unread.set(uuid, imported.message);
    const gold = goldToCheck(evaluator);
    const database = imported?.kind === 'imported' ? imported.ref : source ? null : stored;
    if (!gold || imported?.kind === 'refused') return [];
    if (!database) unread.set(uuid, 'it names no database in which its SQL could run');
    return database ? [{ index, database, statements: gold.statements, timeoutMs }] : [];
  });
  const executions = new Map<string, ExecutionDone>();
  for await (const done of executeTasks(settings, tasks)) {
    executions.set(items[done.index]?.uuid ?? '', done);
  }
  const texts = skip.has('gold-absent') ? [] : items.flatMap(soughtTexts);
  const sought = [...new Set(texts.map(normalText))];
  const sql =
    store && sought.length > 0 ? absentTextsSql(describeStore(store).tables, sought) : null;
  const absent = new Set<string>();
  if (sql !== null && stored) {
    const task = { index: 0, database: stored, statements: [sql], timeoutMs: searchTimeoutMs };
    for await (const done of executeTasks(settings, [task])) {
      const [first] = 'execution' in done ? done.execution.statements : [];
      if (first?.executed.kind !== 'rows') {
        throw new UserError(
          `the texts of store ${stored.name} cannot be searched: leave that out with --skip gold-absent`,
        );
      }
      // Its only column is one of texts.
      for (const [text] of first.executed.result.rows) absent.add(text as string);
    }
  }
  const papers =
    store?.database === undefined && store
      ? new Set<string>(store.papers.map(({ paperId }) => paperId))
      : null;
  return checkDataset(lines, { executions, unread, papers, absent }).map((checked) => ({
    ...checked,
    faults: checked.faults.filter(({ check }) => !skip.has(check)),
  }));
}

/** For one look at all texts of a store. */
const searchTimeoutMs = 120_000;
