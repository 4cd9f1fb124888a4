import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { type RunFilesPort, DamagedRunFile } from '../../activities/ports/run-files.js';
import { resultSchema } from '../../domain/agent/question-result.js';
import { jsonIn } from '../../domain/formats/json.js';
import { keyText, runIdSchema, sampleKeySchema, sampleName, type RunId } from '../../domain/ids.js';
import {
  manifestFile,
  notesFile,
  resultsFile,
  rulingsFile,
  scoresFile,
  turnsRoot,
  runManifestSchema,
  datasetFile,
} from '../../domain/runs/run-manifest.js';
import type { SampleRange } from '../../domain/runs/sample-ranges.js';
import { datasetItemSchema, type DatasetItem } from '../../domain/scoring/dataset-item.js';
import { scoreSchema } from '../../domain/scoring/score.js';
import type { KeyedLine, KeyOfLine } from '../append-once-file.js';
import { accessingFiles, jsonText } from '../atomic-file.js';
import { KeyTable } from '../key-table.js';
import type { LineLog, LineReader, ObjectStorage, ObjectVersion } from '../objects.js';
import { openStorage } from '../open-storage.js';
import { placedLines } from '../placed-lines.js';
import { createQuestionRecords } from '../question-records.js';
import { UnchangedFiles, ParsedCache } from '../unchanged-files.js';
import { keyOfLine, lineParser, linesOf } from './run-lines.js';
import { RunTexts } from './run-texts.js';

/** The files of runs in a folder or a bucket. @param location - as in `openStorage` */
export const openRunFiles = (location: string): RunFilesPort =>
  createRunFiles(openStorage(location));

/** The files of samples that are appended to. */
const sampleLogs = [resultsFile, scoresFile];

/** A line that a person has written. One of a later version stays, whatever else it has. */
const lineSchema = z.object({ id: z.string() });

/** The files that are appended to, each with what tells its lines apart. */
const logKeys = new Map<string, KeyOfLine>([
  [resultsFile, keyOfLine(resultSchema, keyText)],
  [scoresFile, keyOfLine(scoreSchema, keyText)],
  [notesFile, keyOfLine(lineSchema, ({ id }) => id)],
  [rulingsFile, keyOfLine(lineSchema, ({ id }) => id)],
]);

/** A dataset never changes, and no run gets the name of one that was removed so soon. */
const datasetVersionForMs = 100;

/** Limits how many files are open at once. */
const reopenedAtOnce = 100;

/** Logs whose keys and lines stay in memory: four of each run. */
const keptLogs = 80;

/** What a line of each has of its question. */
const askedLineSchema = sampleKeySchema.extend({ asking: z.int().default(1) });

/** The files of runs, in `runs/` of a storage that every worker and the client can access. */
export function createRunFiles(storage: ObjectStorage): RunFilesPort {
  const texts = new RunTexts(storage);
  const versionOf = (path: string): Promise<ObjectVersion | null> => storage.version(path);
  const versioned = new UnchangedFiles({ versionOf });
  const datasets = new UnchangedFiles({ versionOf, versionForMs: datasetVersionForMs });
  const { reopen, ...records } = createQuestionRecords(storage, texts, { versioned, datasets });
  const logs = new LRUCache<string, LineLog>({ max: keptLogs });
  const readers = new LRUCache<
    string,
    { readonly schema: z.ZodType; readonly reader: LineReader<unknown> }
  >({ max: keptLogs });

  /** Null for a file that is written as a whole. */
  function logOf(run: RunId, file: string): LineLog | null {
    const keyOf = logKeys.get(file);
    if (keyOf === undefined) return null;
    const path = texts.pathOf(run, file);
    const log = logs.get(path) ?? storage.log(path, keyOf);
    logs.set(path, log);
    return log;
  }

  async function lines<T>(run: RunId, file: string, schema: z.ZodType<T>): Promise<readonly T[]> {
    const parse = lineParser(run, file, schema);
    const log = logOf(run, file);
    if (log === null) {
      return linesOf((await texts.text(run, file)) ?? '').map((line, index) =>
        parse(line, index + 1),
      );
    }
    const path = texts.pathOf(run, file);
    const known = readers.get(path);
    // An equal schema parses to the same type.
    const reader = known?.schema === schema ? (known.reader as LineReader<T>) : log.reader(parse);
    readers.set(path, { schema, reader });
    return texts.reading(run, file, () => reader.read());
  }

  return {
    ...records,
    ...createRunDatasets(storage, texts, datasets),
    runs: async () => {
      const names = await accessingFiles('the runs cannot be listed', () => storage.list('runs'));
      return names.flatMap((name) =>
        name.endsWith('/') ? (runIdSchema.safeParse(name.slice(0, -1)).data ?? []) : [],
      );
    },
    begun: async (run) => {
      const names = new KeyTable();
      const all = await texts.reading(run, turnsRoot, () =>
        storage.list(texts.pathOf(run, turnsRoot)),
      );
      for (const name of all) names.add(name);
      return { size: names.size, has: (key) => names.has(`${sampleName(key)}/`) };
    },
    text: (run, file) => {
      const log = logOf(run, file);
      return log ? texts.reading(run, file, () => log.text()) : texts.text(run, file);
    },
    saveText: (run, file, text) => {
      const log = logOf(run, file);
      return log ? texts.writing(run, file, () => log.replace(text)) : texts.save(run, file, text);
    },
    removeText: (run, file) =>
      texts.writing(run, file, () => storage.remove(texts.pathOf(run, file))),
    writtenMs: (run, file) =>
      texts.reading(run, file, async () => {
        const path = texts.pathOf(run, file);
        // In a bucket a log is a folder.
        return (await storage.version(path))?.storedAtMs ?? storage.storedAtMs(path);
      }),
    names: (run, folder) =>
      texts.reading(run, folder, () => storage.list(texts.pathOf(run, folder))),
    json: (run, file, schema) => texts.parse(schema, run, file),
    lines,
    eachLine: (run, file, schema, use) =>
      texts.reading(run, file, async () => {
        const parse = lineParser(run, file, schema);
        let number = 0;
        for await (const some of logOf(run, file)?.batches() ?? []) {
          for (const line of some) use(parse(line, (number += 1)));
        }
      }),
    lastLines: (run, file, schema, bytes) =>
      texts.reading(run, file, async () => {
        const parse = lineParser(run, file, schema);
        const { lines: last } = (await logOf(run, file)?.tail(bytes)) ?? { lines: [] };
        return last.map((line, index) => parse(line, index + 1 - last.length));
      }),
    manifest: async (run) => {
      const manifest = await texts.reading(run, manifestFile, () =>
        versioned.read(texts.pathOf(run, manifestFile), () =>
          texts.parse(runManifestSchema, run, manifestFile),
        ),
      );
      if (manifest) return manifest;
      throw new PortFailure('InvalidRun', `there is no run ${run}: its ${manifestFile} is missing`);
    },
    saveManifest: async (manifest) => {
      await texts.save(manifest.run, manifestFile, jsonText(manifest));
      // A version that a read shares may be older than the file.
      versioned.remove(texts.pathOf(manifest.run, manifestFile));
    },
    reopen: (run, keys, anew) =>
      accessingFiles(`questions of run ${run} cannot be reopened`, async () => {
        const asked = await inBatches(keys, async (key) => ({
          key,
          asking: key.asking ?? (await records.asking(run, key)),
        }));
        const askingOf = new Map(asked.map(({ key, asking }) => [keyText(key), asking]));
        const removeLines = async (): Promise<void> => {
          for (const file of sampleLogs) {
            await logOf(run, file)?.remove((line) => {
              const parsed = askedLineSchema.safeParse(jsonIn(line)).data;
              return parsed !== undefined && parsed.asking <= (askingOf.get(keyText(parsed)) ?? 0);
            });
          }
        };
        // Lines first: if this is interrupted, the ends still stand and are published again.
        await removeLines();
        await inBatches(asked, ({ key, asking }) => reopen(run, key, asking, anew));
        // Once more: who has published meanwhile did not know of the next asking, and who is about to looks again.
        await removeLines();
      }),
    publish: (run, ends) =>
      accessingFiles(`the results of run ${run} cannot be appended`, async () => {
        const endOf = new Map(ends.map((end) => [keyText(end.result), end]));
        const isCurrent = async ({ key }: KeyedLine): Promise<boolean> => {
          const result = endOf.get(key)?.result;
          return (
            result !== undefined && (result.asking ?? 1) === (await records.asking(run, result))
          );
        };
        const append = (file: string, of: 'result' | 'score'): Promise<void> | undefined =>
          logOf(run, file)?.append(
            [...endOf].map(([key, end]) => ({ key, line: JSON.stringify(end[of]) })),
            isCurrent,
          );
        await append(scoresFile, 'score');
        await append(resultsFile, 'result');
      }),
    addLine: (run, file, line) =>
      texts.writing(run, file, async () => {
        await logOf(run, file)?.append([{ key: line.id, line: JSON.stringify(line) }]);
      }),
  };
}

async function inBatches<T, R>(
  values: readonly T[],
  work: (value: T) => Promise<R>,
): Promise<readonly R[]> {
  const done: R[] = [];
  for (let first = 0; first < values.length; first += reopenedAtOnce) {
    done.push(...(await Promise.all(values.slice(first, first + reopenedAtOnce).map(work))));
  }
  return done;
}

/** Where each question stands in a dataset. A dataset may be larger than memory: only what is asked for is read. */
interface DatasetIndex {
  readonly places: KeyTable;
  /** Where the line of each question begins, and the end of the last one, in bytes. */
  readonly starts: Float64Array;
  readonly cached: ParsedCache<number, DatasetItem>;
}

const namedSchema = z.object({ uuid: z.string() });

/**
 * The datasets of runs. The dataset of a run never changes, but another run may get the name of a run that was removed.
 * @param datasets - without a limit: an index that was evicted would be made again at each turn
 */
function createRunDatasets(
  storage: ObjectStorage,
  texts: RunTexts,
  datasets: UnchangedFiles,
): Pick<RunFilesPort, 'items' | 'itemCount' | 'itemsIn' | 'itemPlace' | 'item'> {
  async function indexOf(run: RunId): Promise<DatasetIndex> {
    const index = await texts.reading(run, datasetFile, () =>
      datasets.read(texts.pathOf(run, datasetFile), () => makeIndex(run)),
    );
    if (index) return index;
    throw new PortFailure('InvalidRun', `run ${run} has no ${datasetFile}`);
  }

  async function makeIndex(run: RunId): Promise<DatasetIndex | null> {
    const bytes = (await storage.version(texts.pathOf(run, datasetFile)))?.bytes;
    if (bytes === undefined) return null;
    const parse = lineParser(run, datasetFile, namedSchema);
    const places = new KeyTable();
    let starts = new Float64Array(1024);
    for await (const lines of placedLines((start, end) => read(run, start, end), 0, bytes)) {
      for (const { text, start } of lines) {
        const place = places.size;
        const { uuid } = parse(text, place + 1);
        places.add(uuid, place);
        if (places.size === place) {
          const line = `${datasetFile}, line ${place + 1},`;
          throw new DamagedRunFile(run, line, `uuid ${uuid} is there twice`);
        }
        if (place + 1 >= starts.length) starts = grown(starts);
        starts[place] = start;
      }
    }
    starts[places.size] = bytes;
    return { places, starts: starts.slice(0, places.size + 1), cached: new ParsedCache() };
  }

  async function read(run: RunId, start: number, end: number): Promise<Uint8Array> {
    const bytes = await storage.readRange(texts.pathOf(run, datasetFile), start, end);
    return bytes ?? new Uint8Array();
  }

  async function parsedItems(
    run: RunId,
    { starts, places }: DatasetIndex,
    range: SampleRange,
  ): Promise<readonly DatasetItem[]> {
    const end = Math.min(range.end, places.size);
    if (range.start >= end) return [];
    const bytes = await texts.reading(run, datasetFile, () =>
      read(run, starts[range.start] ?? 0, starts[end] ?? 0),
    );
    const parse = lineParser(run, datasetFile, datasetItemSchema);
    return linesOf(Buffer.from(bytes).toString('utf8')).map((line, number) =>
      parse(line, range.start + number + 1),
    );
  }

  return {
    items: async (run) => {
      const index = await indexOf(run);
      const items: DatasetItem[] = [];
      for (let start = 0; start < index.places.size; start += 1000) {
        items.push(...(await parsedItems(run, index, { start, end: start + 1000 })));
      }
      return items;
    },
    itemCount: async (run) => (await indexOf(run)).places.size,
    itemsIn: async (run, range) => parsedItems(run, await indexOf(run), range),
    itemPlace: async (run, uuid) => (await indexOf(run)).places.get(uuid),
    item: async (run, uuid) => {
      const index = await indexOf(run);
      const place = index.places.get(uuid);
      if (place === null) throw new PortFailure('InvalidRun', `run ${run} has no question ${uuid}`);
      const known = index.cached.get(place);
      if (known) return known;
      const [item] = await parsedItems(run, index, { start: place, end: place + 1 });
      if (item === undefined) {
        throw new PortFailure('RunFilesUnavailable', `${datasetFile} of run ${run} has changed`);
      }
      const bytes = (index.starts[place + 1] ?? 0) - (index.starts[place] ?? 0);
      index.cached.set(place, item, bytes);
      return item;
    },
  };
}

function grown(starts: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * starts.length);
  larger.set(starts);
  return larger;
}
