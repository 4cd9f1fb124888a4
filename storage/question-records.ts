import type { z } from 'zod';
import { unlessDamaged, type RunFilesPort } from '../activities/ports/run-files.js';
import { questionContextSchema } from '../domain/agent/question-context.js';
import {
  observationRecordSchema,
  paidCallSchema,
  replyRecordSchema,
} from '../domain/agent/turn-record.js';
import type { RunId, SampleKey } from '../domain/ids.js';
import { batchedAnswerSchema } from '../domain/runs/batches.js';
import { endRecordSchema, type EndRecord } from '../domain/runs/question-end.js';
import {
  askingFile,
  askingSchema,
  batchedFile,
  contextFile,
  endFile,
  executionFile,
  ownVerdictFile,
  firstAsking,
  isPackable,
  judgesFolder,
  observationFile,
  replyFile,
  runFolder,
  traceFile,
  trajectoryFile,
  turnsFolder,
  type AskedSample,
  type Asking,
} from '../domain/runs/run-manifest.js';
import { executionSchema } from '../domain/scoring/execution-match/execution.js';
import { verdictSchema } from '../domain/scoring/verdict.js';
import { jsonText } from './atomic-file.js';
import { readJudgeReplies, saveJudgeReply } from './paid-records.js';
import type { ObjectStorage } from './objects.js';
import { createKeptRecords, PackedRecords } from './kept-records.js';
import type { RunTexts } from './runs/run-texts.js';
import type { UnchangedFiles } from './unchanged-files.js';

const observedSchema = observationRecordSchema.pick({ facts: true });

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
  | 'batchedAnswer'
  | 'saveBatchedAnswer'
  | 'end'
  | 'saveEnd'
  | 'pack'
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
 * @param caches - `versioned` of what may change, by its version; `datasets` knows the versions of the runs' datasets
 */
export function createQuestionRecords(
  storage: ObjectStorage,
  texts: RunTexts,
  {
    versioned,
    datasets,
  }: { readonly versioned: UnchangedFiles; readonly datasets: UnchangedFiles },
): QuestionRecords {
  const packed = new PackedRecords(storage);
  const { record, cachedRecord, saveFirst, saveTurn } = createKeptRecords(packed, texts, datasets);

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

  /** Records for scoring, one for each question. */
  const forScoring = <T extends object>(
    schema: z.ZodType<T>,
    file: (key: SampleKey, asking: Asking) => string,
  ) => ({
    read: (run: RunId, key: AskedSample): Promise<T | null> =>
      unlessDamaged(async () => record(schema, run, file(key, await askingOf(run, key)))),
    save: async (run: RunId, key: AskedSample, value: T): Promise<T> =>
      saveFirst(schema, run, file(key, await askingOf(run, key)), value),
  });
  const executions = forScoring(executionSchema, executionFile);
  const ownVerdicts = forScoring(verdictSchema, ownVerdictFile);

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
    execution: executions.read,
    saveExecution: executions.save,
    ownVerdict: ownVerdicts.read,
    saveOwnVerdict: ownVerdicts.save,
    judgesFolder: judgesPath,
    judgeReplies: async (run, key) => readJudgeReplies(storage, await judgesPath(run, key)),
    saveJudgeReply: async (run, key, reply) =>
      saveJudgeReply(storage, await judgesPath(run, key), reply),
    batchedAnswer: async (run, key, name) =>
      record(batchedAnswerSchema, run, batchedFile(key, name, await askingOf(run, key))),
    saveBatchedAnswer: async (run, key, name, answer) =>
      saveFirst(batchedAnswerSchema, run, batchedFile(key, name, await askingOf(run, key)), answer),
    end: async (run, key) =>
      unlessDamaged(async () =>
        texts.parse(endRecordSchema, run, endFile(key, await askingOf(run, key))),
      ),
    saveEnd: async (run, key, end, trajectory, trace = null) => {
      const asking = await askingOf(run, key);
      // Two askings have one trajectory and one trace: those of the later one.
      const { uuid, epoch } = key;
      if ((await askingOf(run, { uuid, epoch })).asking === asking.asking) {
        const lines = trajectory.map(
          ({ role, content }) => `${JSON.stringify({ role, content })}\n`,
        );
        await Promise.all([
          texts.save(run, trajectoryFile(key), lines.join('')),
          trace && texts.save(run, traceFile(key), `${JSON.stringify(trace, null, 1)}\n`),
        ]);
      }
      return saveFirst(
        endRecordSchema,
        run,
        endFile(key, asking),
        asking.asking === 1 ? end : endOfAsking(end, asking.asking),
      );
    },
    pack: async (run, key) => {
      const folder = turnsFolder(key, await askingOf(run, key));
      return texts.writing(run, folder, () => packed.pack(texts.pathOf(run, folder), isPackable));
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
