import {
  absentTextsSql,
  checkDataset,
  normalText,
  soughtTexts,
  type CheckedLine,
} from '../../../domain/building/dataset-check.js';
import { readDatasetLines } from '../../../domain/runs/dataset.js';
import {
  goldBesideNulls,
  goldToCheck,
  type DatasetCheck,
} from '../../../domain/scoring/execution-match/check-gold.js';
import type { ExecutionDone } from '../../../domain/scoring/execution-match/execution.js';
import { declaresNulls } from '../../../domain/stores/database.js';
import { describeStore } from '../../../domain/stores/database-schema.js';
import { papersByName } from '../../../domain/stores/papers-named.js';
import { UserError } from '../../../domain/user-error.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { readLinesFile } from '../../services/read-file.js';
import { meantStore } from '../stores/store-files.js';
import { executeTasks, executionsOn, type AskedSql } from '../scoring/execute-answers.js';

interface DatasetToCheck {
  readonly path: string;
  /** @defaultValue where questions name papers, the only store that holds papers */
  readonly store: string | undefined;
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
  { path, store: name, own, skip }: DatasetToCheck,
): Promise<readonly CheckedLine[]> {
  const lines = readDatasetLines(readLinesFile(path), own);
  const items = lines.items.map(({ item }) => item);
  if (items.length + lines.problems.length === 0) {
    throw new UserError(`${path}: it holds no questions`);
  }
  const isAboutPapers = items.some(({ anchor_pdf }) => anchor_pdf.length > 0);
  const store = await meantStore(settings, name, isAboutPapers ? 'papers' : 'nothing');
  const stored =
    store && ({ kind: 'store', name: store.name, fingerprint: store.fingerprint } as const);
  const asked = items.flatMap(({ uuid, evaluator, database }, index): readonly AskedSql[] => {
    const gold = goldToCheck(evaluator);
    if (gold === null) return database ? [{ index, database, statements: [] }] : [];
    const asksNulls = !skip.has('gold-unstable') && database && declaresNulls(database);
    const match = asksNulls ? goldBesideNulls(gold, uuid) : null;
    return [{ index, database, statements: gold.statements, match: match ?? undefined }];
  });
  const executions = new Map<string, ExecutionDone>();
  for await (const done of executionsOn(settings, path, asked, stored)) {
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
  const papers = store?.database === undefined && store ? papersByName(store.papers) : null;
  return checkDataset(lines, { executions, papers, absent }).map((checked) => ({
    ...checked,
    faults: checked.faults.filter(({ check }) => !skip.has(check)),
  }));
}

/** For one look at all texts of a store. */
const searchTimeoutMs = 120_000;
