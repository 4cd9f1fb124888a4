import { z } from 'zod';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { DamagedRunFile, type RunFilesPort } from '../../activities/ports/run-files.js';
import type { RunId } from '../../domain/ids.js';
import { datasetFile } from '../../domain/runs/run-manifest.js';
import type { SampleRange } from '../../domain/runs/sample-ranges.js';
import { datasetItemSchema, type DatasetItem } from '../../domain/scoring/dataset-item.js';
import { KeyTable } from '../key-table.js';
import type { ObjectStorage } from '../objects.js';
import { ParsedCache, type UnchangedFiles } from '../unchanged-files.js';
import { placedLines } from '../placed-lines.js';
import { type RunTexts } from './run-texts.js';
import { lineParser, linesOf } from './run-lines.js';

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
export function createRunDatasets(
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
