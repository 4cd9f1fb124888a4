import { dirname } from 'node:path';
import { z } from 'zod';
import {
  answerTraceSchema,
  databaseModes,
  type AnswerTrace,
} from '../../../domain/agent/database-qa/answer-trace.js';
import { keyText } from '../../../domain/ids.js';
import type { AgentAnswers, AnswerRecord } from '../../../domain/runs/database-qa/answer-record.js';
import {
  datasetFigures,
  type DatasetFigures,
} from '../../../domain/runs/database-qa/agent-figures.js';
import { panelsFile, traceFile, databaseOf } from '../../../domain/runs/run-manifest.js';
import {
  evaluatorOfCategory,
  type Category,
  type DatasetItem,
} from '../../../domain/scoring/dataset-item.js';
import { studied } from '../../../domain/scoring/review/panel-worth.js';
import { reviewedPanelSchema, type ReviewedPanel } from '../../../domain/scoring/review/panel.js';
import type { Score } from '../../../domain/scoring/score.js';
import { databaseKey, type DescribedDatabase } from '../../../domain/stores/database.js';
import { sum } from '../../../domain/statistics/means.js';
import { UserError } from '../../../domain/user-error.js';
import type { RunFolder } from '../run-folder.js';
import { storedDescription } from './question-databases.js';
import { readRun, type RunFiles } from '../scoring/run-scores.js';

/** A run whose questions are about databases: its answers as the tables need them. */
export interface DatabaseRun extends AgentAnswers {
  readonly folder: RunFolder;
  readonly files: RunFiles;
  /** The descriptions of the imported databases of its questions that are still there, by their ids. */
  readonly databases: ReadonlyMap<string, DescribedDatabase>;
}

/** The answers that have ended. @throws UserError if the run's questions are not about databases */
export async function readDatabaseRun(folder: RunFolder): Promise<DatabaseRun> {
  const files = await readRun(folder);
  const traces = new Map<string, AnswerTrace>();
  // One after another: a large run has more traces than a process may open files.
  for (const result of files.results) {
    const trace = await folder.readJson(traceFile(result), answerTraceSchema);
    if (trace) traces.set(keyText(result), trace);
  }
  const configured = z.enum(databaseModes).safeParse(files.manifest.config.method).data;
  const method = configured ?? [...traces.values()][0]?.method;
  if (method === undefined) {
    throw new UserError(
      `run ${folder.run} has no answers over databases: the layout database-qa needs runs with --method ${databaseModes.join(', ')}`,
    );
  }
  const models = [...new Set(files.results.flatMap(({ model }) => model ?? []))].sort();
  const agent = {
    run: folder.run,
    model: models.join(', ') || files.manifest.config.model.name,
    configured: files.manifest.config.model.name,
    method,
  };
  const itemOf = new Map<string, DatasetItem>(files.items.map((item) => [item.uuid, item]));
  const scoreOf = new Map(files.scores.map((score) => [keyText(score), score]));
  const panelsOf = panelsByAnswer(await latestPanels(folder));
  const databases = await describedDatabases(folder, files);
  return {
    ...{ folder, files, databases },
    agent,
    answers: files.results.map((result): AnswerRecord => {
      const key = keyText(result);
      const item = itemOf.get(result.uuid);
      const { category = null, database } = item ?? {};
      // Without one, the question ended before anything was made.
      const trace = traces.get(key);
      return {
        ...agent,
        ...{ uuid: result.uuid, epoch: result.epoch, outcome: result.outcome.kind },
        stoppedBy: trace?.stoppedBy ?? 'agent',
        plan: trace?.plan ?? { text: '' },
        queries: trace?.queries ?? [],
        answer: trace?.answer ?? { text: '' },
        category,
        database: database && databaseKey(database),
        size: sizeIn(databases.get(importedBy(files, item) ?? '')),
        judges: scoreOf.get(key)?.judging?.judges.map(({ model }) => model) ?? [],
        verdict: nativeVerdict(category, scoreOf.get(key)),
        panels: panelsOf.get(key) ?? {},
      };
    }),
  };
}

/** Rows of all tables. */
function sizeIn(database: DescribedDatabase | undefined): number | null {
  const rows = database?.tables.flatMap((table) => table.rows ?? []) ?? [];
  return database !== undefined && rows.length === database.tables.length ? sum(rows) : null;
}

/** On the scale of the category: conclusive 0 or 1, interpretive 1 to 5. Scores by other functions stand in no column with them. */
function nativeVerdict(
  category: Category | null,
  score: Score | undefined,
): AnswerRecord['verdict'] {
  if (score === undefined) return null;
  const { verdict, scorer } = score;
  if (verdict.kind === 'unscored') return { kind: 'unscored', reason: verdict.reason };
  if (category === null || scorer !== evaluatorOfCategory[category]) {
    return { kind: 'unscored', reason: 'other-evaluator' };
  }
  return { kind: 'scored', score: verdict.rawScore ?? verdict.score };
}

/** The panels of the review that was written to last; empty without one. */
export async function latestPanels(folder: RunFolder): Promise<readonly ReviewedPanel[]> {
  const reviews = dirname(dirname(panelsFile('ID')));
  const written = await Promise.all(
    (await folder.names(reviews)).map(async (name) => {
      const id = name.replace(/\/$/, '');
      return { id, writtenMs: await folder.writtenMs(panelsFile(id)) };
    }),
  );
  const [latest] = written
    .flatMap(({ id, writtenMs }) => (writtenMs === null ? [] : [{ id, writtenMs }]))
    .sort((a, b) => b.writtenMs - a.writtenMs || (a.id < b.id ? -1 : 1));
  return latest === undefined ? [] : folder.readLines(panelsFile(latest.id), reviewedPanelSchema);
}

function panelsByAnswer(
  reviewed: readonly ReviewedPanel[],
): ReadonlyMap<string, AnswerRecord['panels']> {
  const panels = new Map<string, AnswerRecord['panels']>();
  for (const panel of reviewed) {
    // The review goes on with it.
    if (panel.open) continue;
    const key = keyText(panel);
    const { uuid, reversed, ...decided } = studied(panel);
    panels.set(key, {
      ...panels.get(key),
      [panel.subTask]: { ...decided, ...(reversed && { reversed }) },
    });
  }
  return panels;
}

/** The datasets of the runs as one. @param uuids - the questions to count */
export function datasetOf(
  [first]: readonly DatabaseRun[],
  uuids: ReadonlySet<string>,
): DatasetFigures | null {
  if (first === undefined) return null;
  const items = first.files.items.filter(({ uuid }) => uuids.has(uuid));
  const asked = new Set(items.map((item) => importedBy(first.files, item)));
  const databases = [...first.databases].flatMap(([id, each]) => (asked.has(id) ? [each] : []));
  return datasetFigures(items, databases);
}

/** The id of the imported database that a question is about; undefined where it is about none. */
function importedBy({ manifest }: RunFiles, item: DatasetItem | undefined): string | undefined {
  const ref = item && databaseOf(manifest, item);
  return ref?.kind === 'imported' ? ref.id : undefined;
}

async function describedDatabases(
  folder: RunFolder,
  files: RunFiles,
): Promise<DatabaseRun['databases']> {
  const refs = new Map(
    files.items.flatMap((item) => {
      const ref = databaseOf(files.manifest, item);
      return ref?.kind === 'imported' ? [[ref.id, ref]] : [];
    }),
  );
  const described = new Map<string, DescribedDatabase>();
  for (const ref of refs.values()) {
    const found = await storedDescription(folder.place, ref);
    if (found) described.set(ref.id, found);
  }
  return described;
}
