import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
  briefingFile,
  datasetFile,
  earlierFolder,
  endFile,
  judgeReplyName,
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
import { judgeReplySchema, type JudgeReply } from '../domain/scoring/judging/judge-request.js';
import { AppendOnceFile } from './append-once-file.js';
import { createFileAtomically, filesUnavailable, writeFileAtomically } from './atomic-file.js';
import { GrowingLines, isAbsence } from './growing-lines.js';
import { keyOfLine, lineParser } from './run-lines.js';
import { UnchangedFiles } from './unchanged-files.js';

/** Of the texts of questions under way, which every later turn of theirs reads again. */
const rememberedBytes = 16 * 2 ** 20;

/** A run's files in a folder that every worker and the client can see: `runs/` of TURNWISE_HOME. */
export function createFolderRunFiles(home: string): RunFilesPort {
  // One that is forgotten would be read anew each turn.
  const datasets = new UnchangedFiles();
  const logs = new Map<string, AppendOnceFile>();
  const growing = new Map<
    string,
    { readonly schema: z.ZodType; readonly lines: GrowingLines<unknown> }
  >();
  const unchanged = new UnchangedFiles(rememberedBytes);

  const pathOf = (run: RunId, file: string): string => join(home, runFolder(run), file);

  async function read(run: RunId, file: string): Promise<string | null> {
    try {
      return await readFile(pathOf(run, file), 'utf8');
    } catch (error) {
      if (isAbsence(error)) return null;
      throw filesUnavailable(`${file} of run ${run} cannot be read`, error);
    }
  }

  async function parse<T>(schema: z.ZodType<T>, run: RunId, file: string): Promise<T | null> {
    const text = await read(run, file);
    if (text === null) return null;
    const parsed = schema.safeParse(jsonIn(text));
    if (parsed.success) return parsed.data;
    throw new DamagedRunFile(run, file, firstIssue(parsed.error));
  }

  /** For what is read again and again. */
  const remember = <T>(schema: z.ZodType<T>, run: RunId, file: string): Promise<T | null> =>
    unlessUnreadable(run, file, () =>
      unchanged.read(pathOf(run, file), () => parse(schema, run, file)),
    );

  async function unlessUnreadable<T>(
    run: RunId,
    file: string,
    look: () => Promise<T | null>,
  ): Promise<T | null> {
    try {
      return await look();
    } catch (error) {
      if (error instanceof PortFailure) throw error;
      throw filesUnavailable(`${file} of run ${run} cannot be read`, error);
    }
  }

  async function write<T>(
    run: RunId,
    file: string,
    content: string,
    how: (path: string, content: string) => Promise<T>,
  ): Promise<T> {
    try {
      return await how(pathOf(run, file), content);
    } catch (error) {
      throw filesUnavailable(`${file} of run ${run} cannot be written`, error);
    }
  }

  async function saveFirst<T>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
    value: T,
  ): Promise<T> {
    return (await write(run, file, textOf(value), createFileAtomically))
      ? value
      : ((await parse(schema, run, file)) ?? value);
  }

  /** For what the next turn reads. */
  async function saveTurn<T>(schema: z.ZodType<T>, run: RunId, file: string, value: T): Promise<T> {
    const saved = await saveFirst(schema, run, file, value);
    await unchanged.hold(pathOf(run, file), saved);
    return saved;
  }

  /** The snapshot never changes once a run has begun; but a run may be removed, and another have its name. */
  async function dataset(run: RunId): Promise<ReadonlyMap<string, DatasetItem>> {
    const items = await unlessUnreadable(run, datasetFile, () =>
      datasets.read(pathOf(run, datasetFile), () => readItems(run)),
    );
    if (items) return items;
    throw new PortFailure('InvalidRun', `run ${run} has no ${datasetFile}`);
  }

  /** The dataset was checked when the run was planned: here its lines have only to be questions. */
  async function readItems(run: RunId): Promise<ReadonlyMap<string, DatasetItem> | null> {
    const text = await read(run, datasetFile);
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
    // Made below, of the same schema.
    if (known?.schema === schema) return known.lines as GrowingLines<T>;
    const lines = new GrowingLines<T>(path, lineParser(run, file, schema));
    growing.set(path, { schema, lines });
    return lines;
  }

  /** The files of a question's turns; none where it has not begun. */
  async function turnFiles(run: RunId, key: SampleKey): Promise<readonly string[]> {
    try {
      return await readdir(pathOf(run, turnsFolder(key)));
    } catch (error) {
      if (isAbsence(error)) return [];
      throw filesUnavailable(`${turnsFolder(key)} of run ${run} cannot be read`, error);
    }
  }

  async function reopenOne(run: RunId, key: SampleKey, anew: boolean): Promise<void> {
    await rm(pathOf(run, endFile(key)), { force: true });
    if (anew) await putAside(run, key);
  }

  async function putAside(run: RunId, key: SampleKey): Promise<void> {
    const folder = pathOf(run, earlierFolder(key));
    await mkdir(folder, { recursive: true });
    const turns = pathOf(run, turnsFolder(key));
    const number = (await readdir(folder)).length + 1;
    await rename(turns, join(folder, String(number))).catch((error: unknown) => {
      // An attempt that did not live to tell has done it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
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
      try {
        return (await stat(pathOf(run, turnsFolder(key)))).mtimeMs;
      } catch (error) {
        if (isAbsence(error)) return null;
        throw filesUnavailable(`${turnsFolder(key)} of run ${run} cannot be read`, error);
      }
    },
    text: read,
    saveText: (run, file, text) => write(run, file, text, writeFileAtomically),
    json: (run, file, schema) => parse(schema, run, file),
    lines: async (run, file, schema) => {
      try {
        return await linesOf(run, file, schema).read();
      } catch (error) {
        if (error instanceof PortFailure) throw error;
        throw filesUnavailable(`${file} of run ${run} cannot be read`, error);
      }
    },
    manifest: async (run) => {
      const manifest = await remember(runManifestSchema, run, manifestFile);
      if (manifest) return manifest;
      throw new PortFailure('InvalidRun', `there is no run ${run}: its ${manifestFile} is missing`);
    },
    saveManifest: (manifest) =>
      write(manifest.run, manifestFile, textOf(manifest), writeFileAtomically),
    items: async (run) => [...(await dataset(run)).values()],
    item: async (run, uuid) => {
      const item = (await dataset(run)).get(uuid);
      if (item) return item;
      throw new PortFailure('InvalidRun', `run ${run} has no question ${uuid}`);
    },
    briefing: (run, key) => remember(questionContextSchema, run, briefingFile(key)),
    saveBriefing: (run, key, briefing) =>
      saveFirst(questionContextSchema, run, briefingFile(key), briefing),
    reply: (run, key, turn) => remember(replyRecordSchema, run, replyFile(key, turn)),
    saveReply: (run, key, record) =>
      saveTurn(replyRecordSchema, run, replyFile(key, record.turn), record),
    observation: (run, key, turn) =>
      remember(observationRecordSchema, run, observationFile(key, turn)),
    saveObservation: (run, key, record) =>
      saveTurn(observationRecordSchema, run, observationFile(key, record.turn), record),
    judgeReplies: (run, key) => readJudgeReplies(pathOf(run, judgesFolder(key))),
    saveJudgeReply: (run, key, reply) => saveJudgeReply(pathOf(run, judgesFolder(key)), reply),
    end: (run, key) => parse(endRecordSchema, run, endFile(key)),
    saveEnd: async (run, key, record, trajectory) => {
      const lines = trajectory.map(({ role, content }) => `${JSON.stringify({ role, content })}\n`);
      await write(run, trajectoryFile(key), lines.join(''), writeFileAtomically);
      const saved = await saveFirst(endRecordSchema, run, endFile(key), record);
      for (const file of filesOfTurns(key, saved.result.turns)) unchanged.forget(pathOf(run, file));
      return saved;
    },
    earlierReplies,
    reopen: async (run, keys, anew) => {
      try {
        const names = keys.map(keyText);
        // Lines first: whatever is left undone between the two is published again from the end that stands.
        await logOf(run, resultsFile).remove(names);
        await logOf(run, scoresFile).remove(names);
        await Promise.all(keys.map((key) => reopenOne(run, key, anew)));
      } catch (error) {
        if (error instanceof PortFailure) throw error;
        throw filesUnavailable(`questions of run ${run} cannot be reopened`, error);
      }
    },
    publish: async (run, records) => {
      const lines = (of: 'result' | 'score') =>
        records.map((record) => ({
          key: keyText(record.result),
          line: JSON.stringify(record[of]),
        }));
      try {
        await logOf(run, scoresFile).append(lines('score'));
        await logOf(run, resultsFile).append(lines('result'));
      } catch (error) {
        if (error instanceof PortFailure) throw error;
        throw filesUnavailable(`the results of run ${run} cannot be appended`, error);
      }
    },
  };
}

/** What the turns of a question read again and again. */
const filesOfTurns = (key: SampleKey, turns: number): readonly string[] => [
  briefingFile(key),
  ...Array.from({ length: turns }, (_, index) => index + 1).flatMap((turn) => [
    replyFile(key, turn),
    observationFile(key, turn),
  ]),
];

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** What judges said about one answer: a file for each reply. */
export async function readJudgeReplies(folder: string): Promise<readonly JudgeReply[]> {
  const files = await readdir(folder).catch((error: unknown) => {
    // What node:fs throws.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw filesUnavailable(`${folder} cannot be read`, error);
  });
  return Promise.all(
    files.filter((file) => file.endsWith('.judge.json')).map((file) => read(join(folder, file))),
  );
}

/** The first reply to a request stays; what is stored is returned. */
export async function saveJudgeReply(folder: string, reply: JudgeReply): Promise<JudgeReply> {
  const path = join(folder, judgeReplyName(reply));
  try {
    const text = `${JSON.stringify(reply, null, 1)}\n`;
    if (await createFileAtomically(path, text)) return reply;
  } catch (error) {
    throw filesUnavailable(`${path} cannot be written`, error);
  }
  return read(path);
}

async function read(path: string): Promise<JudgeReply> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw filesUnavailable(`${path} cannot be read`, error);
  });
  const parsed = judgeReplySchema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new PortFailure(
    'InvalidRun',
    `${path} is damaged: remove it, and its judge is asked again`,
  );
}
