import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { PortFailure } from '../activities/ports/port-failure.js';
import { DamagedRunFile, type RunFilesPort } from '../activities/ports/run-files.js';
import { questionContextSchema } from '../domain/agent/question-context.js';
import {
  observationRecordSchema,
  paidCallSchema,
  replyRecordSchema,
  type PaidCall,
} from '../domain/agent/turn-record.js';
import { firstIssue, jsonIn } from '../domain/formats/json.js';
import { keyText, runIdSchema, type RunId, type SampleKey } from '../domain/ids.js';
import { endRecordSchema } from '../domain/runs/question-end.js';
import {
  contextFile,
  datasetFile,
  earlierFolder,
  endFile,
  executionFile,
  judgesFolder,
  manifestFile,
  observationFile,
  replyFile,
  resultsFile,
  runFolder,
  scoresFile,
  trajectoryFile,
  turnsFolder,
} from '../domain/runs/run-layout.js';
import { runManifestSchema } from '../domain/runs/run-manifest.js';
import { datasetItemSchema, type DatasetItem } from '../domain/scoring/dataset-item.js';
import { executionSchema } from '../domain/scoring/execution-match/execution.js';
import { AppendOnceFile } from './append-once-file.js';
import {
  accessingFiles,
  createFileAtomically,
  jsonText,
  nullIfAbsent,
  writeFileAtomically,
} from './atomic-file.js';
import { GrowingLines } from './growing-lines.js';
import { readJudgeReplies, saveJudgeReply } from './judge-replies.js';
import { keyOfLine, lineParser } from './run-lines.js';
import { UnchangedFiles } from './unchanged-files.js';

/** How much of the files of questions in flight stays in memory: every later turn of a question reads them again. */
const cachedBytes = 16 * 2 ** 20;

/** A run's files in `runs/` of TURNWISE_HOME, which every worker and the client can access. */
export function createFolderRunFiles(home: string): RunFilesPort {
  // Without a limit: a dataset that was evicted would be read again at each turn.
  const datasets = new UnchangedFiles();
  const cache = new UnchangedFiles(cachedBytes);
  const logs = new Map<string, AppendOnceFile>();
  const growing = new Map<
    string,
    { readonly schema: z.ZodType; readonly lines: GrowingLines<unknown> }
  >();

  const pathOf = (run: RunId, file: string): string => join(home, runFolder(run), file);

  const reading = <T>(run: RunId, file: string, work: () => Promise<T>): Promise<T> =>
    accessingFiles(`${file} of run ${run} cannot be read`, work);

  const writing = <T>(run: RunId, file: string, work: () => Promise<T>): Promise<T> =>
    accessingFiles(`${file} of run ${run} cannot be written`, work);

  const readText = (run: RunId, file: string): Promise<string | null> =>
    reading(run, file, () => readFile(pathOf(run, file), 'utf8').catch(nullIfAbsent));

  const writeText = (run: RunId, file: string, text: string): Promise<void> =>
    writing(run, file, () => writeFileAtomically(pathOf(run, file), text));

  async function parse<T>(schema: z.ZodType<T>, run: RunId, file: string): Promise<T | null> {
    const text = await readText(run, file);
    if (text === null) return null;
    const parsed = schema.safeParse(jsonIn(text));
    if (parsed.success) return parsed.data;
    throw new DamagedRunFile(run, file, firstIssue(parsed.error));
  }

  /** For files that are read again and again. */
  const parseCached = <T>(schema: z.ZodType<T>, run: RunId, file: string): Promise<T | null> =>
    reading(run, file, () => cache.read(pathOf(run, file), () => parse(schema, run, file)));

  /** For records of turns, which are written once. `retry --anew` replaces their whole folder. */
  const parseTurn = <T>(schema: z.ZodType<T>, run: RunId, file: string): Promise<T | null> =>
    reading(run, file, () => {
      const path = pathOf(run, file);
      return cache.read(path, () => parse(schema, run, file), dirname(path));
    });

  /** Keeps a record that is stored already, and resolves to the record that is stored. */
  async function saveFirst<T>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
    value: T,
  ): Promise<T> {
    const isNew = await writing(run, file, () =>
      createFileAtomically(pathOf(run, file), jsonText(value)),
    );
    return isNew ? value : ((await parse(schema, run, file)) ?? value);
  }

  /** Caches what the next turn reads. */
  async function saveTurn<T>(schema: z.ZodType<T>, run: RunId, file: string, value: T): Promise<T> {
    const saved = await saveFirst(schema, run, file, value);
    const path = pathOf(run, file);
    // The turn goes on meanwhile: a record that is not cached yet is read from its file.
    void cache.add(path, saved, dirname(path));
    return saved;
  }

  /** The dataset of a run never changes, but another run may get the name of a run that was removed. */
  async function dataset(run: RunId): Promise<ReadonlyMap<string, DatasetItem>> {
    const items = await reading(run, datasetFile, () =>
      datasets.read(pathOf(run, datasetFile), () => readItems(run)),
    );
    if (items) return items;
    throw new PortFailure('InvalidRun', `run ${run} has no ${datasetFile}`);
  }

  async function readItems(run: RunId): Promise<ReadonlyMap<string, DatasetItem> | null> {
    const text = await readText(run, datasetFile);
    if (text === null) return null;
    const parseItem = lineParser(run, datasetFile, datasetItemSchema);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const items = lines.map((line, index) => parseItem(line, index + 1));
    return new Map(items.map((item) => [item.uuid, item]));
  }

  function logOf(run: RunId, file: string): AppendOnceFile {
    const path = pathOf(run, file);
    const log = logs.get(path) ?? new AppendOnceFile(path, keyOfLine(path));
    logs.set(path, log);
    return log;
  }

  function linesOf<T>(run: RunId, file: string, schema: z.ZodType<T>): GrowingLines<T> {
    const path = pathOf(run, file);
    const known = growing.get(path);
    // An equal schema parses to the same type.
    if (known?.schema === schema) return known.lines as GrowingLines<T>;
    const lines = new GrowingLines<T>(path, lineParser(run, file, schema));
    growing.set(path, { schema, lines });
    return lines;
  }

  /** The files of a question's turns; none if it was not started. */
  const turnFiles = async (run: RunId, key: SampleKey): Promise<readonly string[]> =>
    (await reading(run, turnsFolder(key), () =>
      readdir(pathOf(run, turnsFolder(key))).catch(nullIfAbsent),
    )) ?? [];

  async function reopenOne(run: RunId, key: SampleKey, anew: boolean): Promise<void> {
    await rm(pathOf(run, endFile(key)), { force: true });
    if (anew) await putAside(run, key);
  }

  async function putAside(run: RunId, key: SampleKey): Promise<void> {
    const folder = pathOf(run, earlierFolder(key));
    await mkdir(folder, { recursive: true });
    const number = (await readdir(folder)).length + 1;
    // Absent if an earlier attempt of the activity has moved it.
    await rename(pathOf(run, turnsFolder(key)), join(folder, String(number))).catch(nullIfAbsent);
  }

  async function earlierReplies(run: RunId, key: SampleKey): Promise<readonly PaidCall[]> {
    const folder = pathOf(run, earlierFolder(key));
    const files = await readdir(folder, { recursive: true }).catch(() => []);
    const replies = files
      .filter((file) => /\.(reply|judge)\.json$/.test(file))
      .map((file) => parse(paidCallSchema, run, join(earlierFolder(key), file)));
    return (await Promise.all(replies)).filter((reply) => reply !== null);
  }

  return {
    runs: async () => {
      const names = await readdir(join(home, 'runs')).catch(() => []);
      return names.flatMap((name) => runIdSchema.safeParse(name).data ?? []);
    },
    repliedTurns: async (run, key) =>
      (await turnFiles(run, key))
        .flatMap((name) => /^(\d+)\.reply\.json$/.exec(name)?.[1] ?? [])
        .map(Number)
        .sort((a, b) => a - b),
    storedAtMs: async (run, key) => {
      const folder = turnsFolder(key);
      const stats = await reading(run, folder, () => stat(pathOf(run, folder)).catch(nullIfAbsent));
      return stats && stats.mtimeMs;
    },
    text: readText,
    saveText: writeText,
    json: (run, file, schema) => parse(schema, run, file),
    lines: (run, file, schema) => reading(run, file, () => linesOf(run, file, schema).read()),
    manifest: async (run) => {
      const manifest = await parseCached(runManifestSchema, run, manifestFile);
      if (manifest) return manifest;
      throw new PortFailure('InvalidRun', `there is no run ${run}: its ${manifestFile} is missing`);
    },
    saveManifest: async (manifest) => {
      await writeText(manifest.run, manifestFile, jsonText(manifest));
      // A `stat` that a read shares may be older than the file.
      cache.remove(pathOf(manifest.run, manifestFile));
    },
    items: async (run) => [...(await dataset(run)).values()],
    item: async (run, uuid) => {
      const item = (await dataset(run)).get(uuid);
      if (item) return item;
      throw new PortFailure('InvalidRun', `run ${run} has no question ${uuid}`);
    },
    questionContext: (run, key) => parseTurn(questionContextSchema, run, contextFile(key)),
    saveQuestionContext: (run, key, context) =>
      saveFirst(questionContextSchema, run, contextFile(key), context),
    reply: (run, key, turn) => parseTurn(replyRecordSchema, run, replyFile(key, turn)),
    saveReply: (run, key, record) =>
      saveTurn(replyRecordSchema, run, replyFile(key, record.turn), record),
    observation: (run, key, turn) =>
      parseTurn(observationRecordSchema, run, observationFile(key, turn)),
    saveObservation: (run, key, record) =>
      saveTurn(observationRecordSchema, run, observationFile(key, record.turn), record),
    execution: (run, key) => parse(executionSchema, run, executionFile(key)),
    saveExecution: (run, key, execution) =>
      saveFirst(executionSchema, run, executionFile(key), execution),
    judgeReplies: (run, key) => readJudgeReplies(pathOf(run, judgesFolder(key))),
    saveJudgeReply: (run, key, reply) => saveJudgeReply(pathOf(run, judgesFolder(key)), reply),
    end: (run, key) => parse(endRecordSchema, run, endFile(key)),
    saveEnd: async (run, key, record, trajectory) => {
      const lines = trajectory.map(({ role, content }) => `${JSON.stringify({ role, content })}\n`);
      await writeText(run, trajectoryFile(key), lines.join(''));
      const saved = await saveFirst(endRecordSchema, run, endFile(key), record);
      for (const file of filesOfTurns(key, saved.result.turns)) cache.remove(pathOf(run, file));
      return saved;
    },
    earlierReplies,
    reopen: (run, keys, anew) =>
      accessingFiles(`questions of run ${run} cannot be reopened`, async () => {
        const names = keys.map(keyText);
        // Lines first: if this is interrupted, the ends are still there and are published again.
        await logOf(run, resultsFile).remove(names);
        await logOf(run, scoresFile).remove(names);
        await Promise.all(keys.map((key) => reopenOne(run, key, anew)));
      }),
    publish: (run, records) =>
      accessingFiles(`the results of run ${run} cannot be appended`, async () => {
        const lines = (of: 'result' | 'score') =>
          records.map((record) => ({
            key: keyText(record.result),
            line: JSON.stringify(record[of]),
          }));
        await logOf(run, scoresFile).append(lines('score'));
        await logOf(run, resultsFile).append(lines('result'));
      }),
  };
}

/** The cached files of a question. */
const filesOfTurns = (key: SampleKey, turns: number): readonly string[] => [
  contextFile(key),
  ...Array.from({ length: turns }, (_, index) => index + 1).flatMap((turn) => [
    replyFile(key, turn),
    observationFile(key, turn),
  ]),
];
