import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { exactJson } from '../../../domain/formats/json.js';
import { preview } from '../../../domain/formats/text.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { databaseOf, type RunManifest } from '../../../domain/runs/run-manifest.js';
import { statementsOf } from '../../../domain/scoring/execution-match/execution-options.js';
import {
  executionDoneSchema,
  type ExecutionDone,
  type ExecutionTask,
  type Match,
} from '../../../domain/scoring/execution-match/execution.js';
import type { AnswerToScore } from '../../../domain/scoring/predictions.js';
import {
  databaseKey,
  type DatabaseRef,
  type DatabaseSource,
} from '../../../domain/stores/database.js';
import { UserError } from '../../../domain/user-error.js';
import { workerProgram } from '../../services/programs.js';
import { storageOf } from '../../../domain/settings.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { importDatabases } from '../database-qa/import-databases.js';
import type { RunFolder } from '../run-folder.js';

/** The results of the SQL of answers, by the index of the answer, in any order. */
export type Executions = AsyncIterable<ExecutionDone>;

/**
 * The stored executions of a run's answers. What is missing is executed now, and stored if `isStored`. If `separates`, all are
 * executed, and copies of the databases are asked whether those that match did so by luck.
 */
export async function* executionsOfRun(
  folder: RunFolder,
  manifest: RunManifest,
  answers: readonly AnswerToScore[],
  { isStored, separates = false }: { readonly isStored: boolean; readonly separates?: boolean },
): Executions {
  const tasks: ExecutionTask[] = [];
  for (const { index, statements, answer } of executable(answers)) {
    const execution = separates ? null : await folder.execution(answer.prediction);
    const database = databaseOf(manifest, answer.item);
    if (execution !== null) yield { index, execution, ms: 0 };
    else if (database === null) yield { index, failure: noDatabase };
    else {
      const { toolTimeoutMs: timeoutMs } = manifest.config;
      tasks.push({ index, database, statements, timeoutMs, match: matchOf(answer, separates) });
    }
  }
  for await (const done of executeTasks(folder.place, tasks)) {
    const key = answers[done.index]?.prediction;
    if (isStored && key && 'execution' in done) {
      const { run } = folder;
      await folder.store('turns', (files) => files.saveExecution(run, key, done.execution));
    }
    yield done;
  }
}

/**
 * Executes answers to golds that name their databases.
 * @param separates - as for `executionsOfRun`
 */
export const executionsOfPredictions = (
  settings: StoreSettings,
  gold: string,
  answers: readonly AnswerToScore[],
  { separates = false }: { readonly separates?: boolean } = {},
): Executions =>
  executionsOn(
    settings,
    gold,
    [...executable(answers)].map(({ index, statements, answer }) => ({
      index,
      statements,
      database: answer.item.database,
      match: matchOf(answer, separates),
    })),
  );

export interface AskedSql {
  /** Identifies the question. */
  readonly index: number;
  /** The one that the question names. */
  readonly database: DatabaseSource | undefined;
  /** None: the only thing asked is whether the database can be read. */
  readonly statements: readonly string[];
  /** Absent where no copy is asked. */
  readonly match?: Match | undefined;
}

/**
 * Executes SQL on the databases of questions, which are imported first. A database that cannot be read is a failure.
 * @param file - of the questions: paths of databases are relative to it
 * @param otherwise - where a question names none
 */
export async function* executionsOn(
  settings: StoreSettings,
  file: string,
  asked: readonly AskedSql[],
  otherwise: DatabaseRef | null = null,
): Executions {
  if (asked.length === 0) return;
  const databases = await importDatabases({
    home: settings.TURNWISE_HOME,
    storage: storageOf(settings),
    isForWorkers: true,
    folder: dirname(file),
    sources: asked.flatMap(({ database }) => database ?? []),
  });
  const tasks: ExecutionTask[] = [];
  for (const { index, database: source, statements, match } of asked) {
    const imported = source && databases.get(databaseKey(source));
    const database = imported?.kind === 'imported' ? imported.ref : source ? null : otherwise;
    if (imported?.kind === 'refused') yield { index, failure: imported.message };
    else if (database === null) yield { index, failure: noDatabase };
    else if (statements.length > 0)
      tasks.push({
        ...{ index, database, statements, match },
        timeoutMs: defaultRunConfig.toolTimeoutMs,
      });
  }
  yield* executeTasks(settings, tasks);
}

function matchOf({ prediction, item }: AnswerToScore, separates: boolean): Match | undefined {
  if (!separates || prediction.answer?.kind !== 'str') return undefined;
  const options = JSON.parse(exactJson(item.evaluator?.eval_kwargs ?? {})) as Match['options'];
  return { seed: item.uuid, options, answer: prediction.answer.value };
}

const noDatabase = 'the question names no database in which its SQL could run';

interface Executable {
  readonly index: number;
  readonly answer: AnswerToScore;
  readonly statements: readonly string[];
}

function* executable(answers: readonly AnswerToScore[]): Iterable<Executable> {
  for (const [index, answer] of answers.entries()) {
    const { prediction, item } = answer;
    const given = prediction.answer?.kind === 'str' ? prediction.answer.value : null;
    const statements = given === null ? null : statementsOf(item.evaluator, given);
    if (statements !== null) yield { index, answer, statements };
  }
}

/**
 * Executes statements in a process of their own. It opens one database after the other, each once.
 * @throws UserError if the process fails
 */
export async function* executeTasks(
  settings: StoreSettings,
  tasks: readonly ExecutionTask[],
): Executions {
  if (tasks.length === 0) return;
  const place = [settings.TURNWISE_HOME, storageOf(settings)];
  const child = spawn(process.execPath, [workerProgram('execute-sql'), ...place]);
  try {
    const closed = once(child, 'close');
    const stderr = text(child.stderr);
    const sorted = tasks
      .map((task) => ({ database: JSON.stringify(task.database), line: JSON.stringify(task) }))
      .toSorted((a, b) => (a.database < b.database ? -1 : a.database > b.database ? 1 : 0));
    // A process that ends early closes the pipe; its exit says so.
    child.stdin.on('error', () => undefined);
    Readable.from(sorted.map(({ line }) => `${line}\n`)).pipe(child.stdin);
    for await (const line of createInterface({ input: child.stdout })) {
      yield executionDoneSchema.parse(JSON.parse(line));
    }
    const [code] = (await closed) as [code: number | null];
    if (code === 0) return;
    throw new UserError(`SQL cannot be executed: ${preview(await stderr, 300)}`);
  } finally {
    child.kill();
  }
}
