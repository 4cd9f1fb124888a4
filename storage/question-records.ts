import { posix } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { unlessDamaged, type RunFilesPort } from '../activities/ports/run-files.js';
import { questionContextSchema } from '../domain/agent/question-context.js';
import {
  observationRecordSchema,
  paidCallSchema,
  replyRecordSchema,
} from '../domain/agent/turn-record.js';
import type { RunId, SampleKey } from '../domain/ids.js';
import { endRecordSchema, type EndRecord } from '../domain/runs/question-end.js';
import {
  askingFile,
  askingSchema,
  contextFile,
  datasetFile,
  endFile,
  executionFile,
  ownVerdictFile,
  firstAsking,
  isPackable,
  judgesFolder,
  observationFile,
  replyFile,
  runFolder,
  trajectoryFile,
  turnsFolder,
  type AskedSample,
  type Asking,
} from '../domain/runs/run-layout.js';
import { executionSchema } from '../domain/scoring/execution-match/execution.js';
import { verdictSchema } from '../domain/scoring/verdict.js';
import { jsonText } from './atomic-file.js';
import { readJudgeReplies, saveJudgeReply } from './judge-replies.js';
import type { ObjectStorage } from './objects.js';
import { PackedRecords } from './packed-records.js';
import type { RunTexts } from './run-texts.js';
import type { UnchangedFiles } from './unchanged-files.js';

const observedSchema = observationRecordSchema.pick({ facts: true });

/** How much of the records of questions in flight stays in memory: every later turn of a question reads them again. */
const cachedBytes = 16 * 2 ** 20;

type QuestionRecords = Pick<
  RunFilesPort,
  | 'questionContext'
  | 'saveQuestionContext'
  | 'reply'
  | 'saveReply'
  | 'observation'
  | 'saveObservation'
  | 'judgesFolder'
  | 'judgeReplies'
  | 'saveJudgeReply'
  | 'execution'
  | 'saveExecution'
  | 'ownVerdict'
  | 'saveOwnVerdict'
  | 'end'
  | 'saveEnd'
  | 'earlierReplies'
  | 'earlierFacts'
  | 'repliedTurns'
  | 'storedAtMs'
  | 'asking'
> & {
  /** Begins another asking after `asking`, unless somebody has. @param anew - also leaves its turns behind */
  readonly reopen: (run: RunId, key: SampleKey, asking: number, anew: boolean) => Promise<void>;
};

const endOfAsking = ({ result, score }: EndRecord, asking: number): EndRecord => ({
  result: { ...result, asking },
  score: { ...score, asking },
});

/**
 * The records of single questions. Each is written once, into the folder of its asking: a question that is asked anew gets
 * the next folder, and nothing is moved. So a record that was read once need not be read again.
 * A damaged record that can be made again, which is every one but a paid reply, counts as absent, and the next one that is
 * saved replaces it.
 * @param versioned - caches what may change, by its version
 */
export function createQuestionRecords(
  storage: ObjectStorage,
  texts: RunTexts,
  versioned: UnchangedFiles,
): QuestionRecords {
  const records = new LRUCache<string, { readonly value: object; readonly bytes: number }>({
    maxSize: cachedBytes,
    sizeCalculation: ({ bytes }) => bytes + 1,
  });

  const packed = new PackedRecords(storage);

  /** The askings of a question up to the one that `key` names, or up to the last. */
  async function askingsOf(run: RunId, key: AskedSample): Promise<readonly [Asking, ...Asking[]]> {
    const askings: [Asking, ...Asking[]] = [firstAsking];
    let last = firstAsking;
    while (last.asking !== key.asking) {
      const asking = last.asking + 1;
      const file = askingFile(key, asking);
      const stored = await texts.reading(run, file, () =>
        versioned.read(texts.pathOf(run, file), () => texts.parse(askingSchema, run, file)),
      );
      if (stored === null) break;
      last = { asking, turnsOf: stored.anew ? asking : last.turnsOf };
      askings.push(last);
    }
    return askings;
  }

  const askingOf = async (run: RunId, key: AskedSample): Promise<Asking> =>
    (await askingsOf(run, key)).at(-1) ?? firstAsking;

  /** The name of a record in the cache: another run may get the name of a run that was removed, but not its dataset's version. */
  async function cacheKey(run: RunId, file: string): Promise<string> {
    const dataset = await texts.reading(run, datasetFile, () =>
      versioned.version(texts.pathOf(run, datasetFile)),
    );
    return `${dataset?.version ?? ''} ${texts.pathOf(run, file)}`;
  }

  /** A record, whether it is packed or not. */
  async function record<T>(schema: z.ZodType<T>, run: RunId, file: string): Promise<T | null> {
    const { dir, base } = posix.parse(file);
    const text = await texts.reading(run, file, () => packed.text(texts.pathOf(run, dir), base));
    return text === null ? null : texts.parsed(schema, run, file, text);
  }

  /** A record that the next turns read again. */
  async function cachedRecord<T extends object>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
  ): Promise<T | null> {
    const key = await cacheKey(run, file);
    // Of type T, since a file is always read by the same schema.
    const known = records.get(key) as { readonly value: T } | undefined;
    if (known) return known.value;
    const value = await record(schema, run, file);
    if (value === null) return null;
    records.set(key, { value, bytes: JSON.stringify(value).length });
    return value;
  }

  /** Keeps a record that is stored already, and resolves to the record that is stored. */
  async function saveFirst<T extends object>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
    value: T,
  ): Promise<T> {
    const { dir, base } = posix.parse(file);
    const stored = await texts.writing(run, file, () =>
      packed.create(texts.pathOf(run, dir), base, jsonText(value)),
    );
    if (stored === null) return value;
    const whole = await unlessDamaged(() => texts.parsed(schema, run, file, stored));
    if (whole === null) await texts.save(run, file, jsonText(value));
    return whole ?? value;
  }

  /** Caches what the next turn reads. */
  async function saveTurn<T extends object>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
    value: T,
  ): Promise<T> {
    const [saved, key] = await Promise.all([
      saveFirst(schema, run, file, value),
      cacheKey(run, file),
    ]);
    records.set(key, { value: saved, bytes: JSON.stringify(saved).length });
    return saved;
  }

  const namesIn = (run: RunId, folder: string): Promise<readonly string[]> =>
    texts.reading(run, folder, () => packed.names(texts.pathOf(run, folder)));

  /** The records in a folder with such a name, without damaged ones. */
  const recordsIn = async <T>(
    schema: z.ZodType<T>,
    run: RunId,
    folder: string,
    wanted: RegExp,
  ): Promise<readonly T[]> => {
    const records = (await namesIn(run, folder))
      .filter((name) => wanted.test(name))
      .map((name) => unlessDamaged(() => record(schema, run, `${folder}/${name}`)));
    return (await Promise.all(records)).flatMap((found) => (found === null ? [] : [found]));
  };

  /** The askings whose turns were left behind. */
  const leftBehind = async (run: RunId, key: SampleKey): Promise<readonly Asking[]> => {
    const askings = await askingsOf(run, key);
    const current = askings.at(-1)?.turnsOf;
    return askings.filter(({ asking, turnsOf }) => asking === turnsOf && turnsOf !== current);
  };

  const judgesPath = async (run: RunId, key: AskedSample): Promise<string> =>
    `${runFolder(run)}/${judgesFolder(key, await askingOf(run, key))}`;

  return {
    questionContext: async (run, key) =>
      unlessDamaged(async () =>
        cachedRecord(questionContextSchema, run, contextFile(key, await askingOf(run, key))),
      ),
    saveQuestionContext: async (run, key, context) =>
      saveFirst(questionContextSchema, run, contextFile(key, await askingOf(run, key)), context),
    reply: async (run, key, turn) =>
      cachedRecord(replyRecordSchema, run, replyFile(key, turn, await askingOf(run, key))),
    saveReply: async (run, key, record) => {
      const file = replyFile(key, record.turn, await askingOf(run, key));
      return saveTurn(replyRecordSchema, run, file, record);
    },
    observation: async (run, key, turn) =>
      unlessDamaged(async () =>
        cachedRecord(
          observationRecordSchema,
          run,
          observationFile(key, turn, await askingOf(run, key)),
        ),
      ),
    saveObservation: async (run, key, record) => {
      const file = observationFile(key, record.turn, await askingOf(run, key));
      return saveTurn(observationRecordSchema, run, file, record);
    },
    execution: async (run, key) =>
      unlessDamaged(async () =>
        record(executionSchema, run, executionFile(key, await askingOf(run, key))),
      ),
    saveExecution: async (run, key, execution) =>
      saveFirst(executionSchema, run, executionFile(key, await askingOf(run, key)), execution),
    ownVerdict: async (run, key) =>
      unlessDamaged(async () =>
        record(verdictSchema, run, ownVerdictFile(key, await askingOf(run, key))),
      ),
    saveOwnVerdict: async (run, key, verdict) =>
      saveFirst(verdictSchema, run, ownVerdictFile(key, await askingOf(run, key)), verdict),
    judgesFolder: judgesPath,
    judgeReplies: async (run, key) => readJudgeReplies(storage, await judgesPath(run, key)),
    saveJudgeReply: async (run, key, reply) =>
      saveJudgeReply(storage, await judgesPath(run, key), reply),
    end: async (run, key) =>
      unlessDamaged(async () =>
        texts.parse(endRecordSchema, run, endFile(key, await askingOf(run, key))),
      ),
    saveEnd: async (run, key, end, trajectory) => {
      const asking = await askingOf(run, key);
      // Two askings have one trajectory: that of the later one.
      const { uuid, epoch } = key;
      if ((await askingOf(run, { uuid, epoch })).asking === asking.asking) {
        const lines = trajectory.map(
          ({ role, content }) => `${JSON.stringify({ role, content })}\n`,
        );
        await texts.save(run, trajectoryFile(key), lines.join(''));
      }
      const folder = turnsFolder(key, asking);
      const saved = await saveFirst(
        endRecordSchema,
        run,
        endFile(key, asking),
        asking.asking === 1 ? end : endOfAsking(end, asking.asking),
      );
      await texts.writing(run, folder, () => packed.pack(texts.pathOf(run, folder), isPackable));
      return saved;
    },
    repliedTurns: async (run, key) => {
      const folder = turnsFolder(key, await askingOf(run, key));
      return (await namesIn(run, folder))
        .flatMap((name) => /^(\d+)\.reply\.json$/.exec(name)?.[1] ?? [])
        .map(Number)
        .sort((a, b) => a - b);
    },
    storedAtMs: async (run, key) => {
      const folder = turnsFolder(key, await askingOf(run, key));
      return texts.reading(run, folder, () => storage.storedAtMs(texts.pathOf(run, folder)));
    },
    earlierReplies: async (run, key) => {
      const folders = (await leftBehind(run, key)).flatMap((asking) => [
        turnsFolder(key, asking),
        judgesFolder(key, asking),
      ]);
      const name = /\.(reply|judge)\.json$/;
      const found = folders.map((folder) => recordsIn(paidCallSchema, run, folder, name));
      return (await Promise.all(found)).flat();
    },
    earlierFacts: async (run, key) => {
      const found = (await leftBehind(run, key)).map((asking) =>
        recordsIn(observedSchema, run, turnsFolder(key, asking), /\.observation\.json$/),
      );
      return (await Promise.all(found)).flat().flatMap(({ facts }) => facts ?? []);
    },
    asking: async (run, { uuid, epoch }) => (await askingOf(run, { uuid, epoch })).asking,
    reopen: async (run, key, asking, anew) => {
      const file = askingFile(key, asking + 1);
      await texts.writing(run, file, () =>
        storage.create(texts.pathOf(run, file), jsonText({ anew })),
      );
      // A version that a read shares may be older than the file.
      versioned.remove(texts.pathOf(run, file));
    },
  };
}
