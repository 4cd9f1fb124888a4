import type { BuildingFilesPort } from '../../../activities/ports/building.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { add, noAmount } from '../../../domain/budget/amount.js';
import { buildFile, buildSchema } from '../../../domain/building/build.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { amountOfReply } from '../../../domain/runs/spent-amount.js';
import { accessingFiles } from '../../../storage/atomic-file.js';
import {
  callsOf,
  readCall,
  readItem,
  readItemText,
  saveCall,
  writeItem,
  writeItemText,
} from '../../../storage/building-files.js';
import { readText, type ObjectStorage } from '../../../storage/objects.js';
import { UnchangedFiles } from '../../../storage/unchanged-files.js';

/** Of builds, which every call reads. One of 5,000 seeds takes 2 MB. */
const cachedBytes = 2 ** 24;

/** Datasets that are built, in the storage of the runs. */
export function createBuildingFiles(storage: ObjectStorage): BuildingFilesPort {
  const cache = new UnchangedFiles({ maxBytes: cachedBytes, versionOf: storage.version });
  return {
    build: async (dataset) => {
      const path = buildFile(dataset);
      const build = await accessingFiles(`${path} cannot be read`, () =>
        cache.read(path, async () => {
          const text = await readText(storage, path);
          return buildSchema.safeParse(jsonIn(text ?? '')).data ?? null;
        }),
      );
      if (build) return build;
      throw new PortFailure('InvalidRun', `${path} is missing or damaged: give the command again`);
    },
    item: (dataset, item) => readItem(storage, dataset, item),
    saveItem: (dataset, item) => writeItem(storage, dataset, item),
    text: (dataset, item, version) => readItemText(storage, dataset, item, version),
    saveText: (dataset, item, text) => writeItemText(storage, dataset, item, text),
    call: (dataset, item, call) => readCall(storage, dataset, item, call),
    saveCall: (dataset, item, record) => saveCall(storage, dataset, item, record),
    spent: async (dataset) => {
      let spent = noAmount;
      for await (const record of callsOf(storage, dataset))
        spent = add(spent, amountOfReply(record));
      return spent;
    },
  };
}
