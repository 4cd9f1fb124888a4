import {
  callRecordSchema,
  seedOfItem,
  type Build,
  type CallRecord,
  type ShownResult,
  type Texts,
} from '../../domain/building/build.js';
import { partOf, type Part, type Step, type Version } from '../../domain/building/item.js';
import type { StepEnd } from '../../domain/building/decide.js';
import { stepRequest, readStepReply } from '../../domain/building/prompts.js';
import { isCapped } from '../../domain/budget/amount.js';
import { preview } from '../../domain/formats/text.js';
import type { DatasetName, ItemId } from '../../domain/ids.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { type DescribedDatabase } from '../../domain/stores/database.js';
import { renderDatabaseDdl } from '../../domain/stores/database-schema.js';
import { whileHeartbeating } from '../failures.js';
import type { BuildingFilesPort, ScratchPort } from '../ports/building.js';
import type { ClockPort } from '../ports/clock.js';
import type { ModelPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import {
  attemptCall,
  paidReply,
  paidActivity,
  readyCall,
  type CallAttempt,
  type ReadyCall,
} from '../questions/call-attempt.js';
import { queriesProblem, tryRows } from './try-rows.js';

interface BuildingPorts {
  readonly buildingFiles: BuildingFilesPort;
  readonly clock: ClockPort;
  readonly model: ModelPort;
  readonly scratch: ScratchPort;
  /** How long one attempt keeps trying to store a reply. @defaultValue storeReplyForMs */
  readonly storeForMs?: number;
}

/** An item as its activities know it. */
export interface ItemRef {
  readonly dataset: DatasetName;
  readonly item: ItemId;
  /** The versions that count. */
  readonly versions: Readonly<Partial<Record<Part, number>>>;
}

interface PartRef extends ItemRef {
  readonly step: Step;
  /** The number of the call, from 1. */
  readonly call: number;
  /** The number that the version is to have. */
  readonly version: number;
  readonly remark: string;
  /** What the replies to this step have lacked so far. The last of them was that of the call before. */
  readonly failures: readonly string[];
}

/** The previews of versions in an item's file. */
export const previewLength = 200;

/** One call of a model for a step of an item, and what it comes to. A reply that is stored is not asked for again. */
export function createMakePart(
  ports: BuildingPorts,
): (ref: PartRef, before?: CallAttempts) => Promise<StepEnd | Deferral> {
  const { buildingFiles } = ports;
  return paidActivity(async (ref, before) => {
    const { dataset, item, call } = ref;
    const build = await buildingFiles.build(dataset);
    // A reply that was paid for is used.
    if (build.paused && (await buildingFiles.call(dataset, item, call)) === null) return paused;
    const { seed, database } = seedOf(build, ref);
    const texts = await textsOf(buildingFiles, ref);
    const record = await attemptCall<CallRecord, never>({
      before,
      parse: (paid) => callRecordSchema.safeParse(paid).data,
      find: () => buildingFiles.call(dataset, item, call),
      prepare: (attempt) => prepareCall(ports, build, { ref, seed, database, texts, attempt }),
      save: (made) => buildingFiles.saveCall(dataset, item, made),
      storeForMs: ports.storeForMs,
    });
    if ('kind' in record) return record;
    const read = { record, database, texts };
    return whileHeartbeating((signal) => settle(ports, ref, read, signal));
  });
}

const paused: Deferral = {
  ...{ kind: 'deferred', reason: 'pause', retryAfterMs: null },
  message: 'the dataset is paused: `turnwise dataset resume` lets it go on',
};

/** @throws PortFailure for an item that the build does not have */
export function seedOf(
  build: Build,
  { item }: Pick<ItemRef, 'item'>,
): ReturnType<typeof seedOfItem> {
  try {
    return seedOfItem(build, item);
  } catch (cause) {
    const message = `dataset ${build.dataset} has no item ${item}, or no database for it`;
    throw new PortFailure('InvalidRun', message, { cause });
  }
}

/** @throws PortFailure if a text is missing */
export async function textsOf(
  files: Pick<BuildingFilesPort, 'text'>,
  { dataset, item, versions }: ItemRef,
): Promise<Texts> {
  const entries = await Promise.all(
    Object.entries(versions).map(async ([part, version]) => {
      const text = await files.text(dataset, item, version);
      if (text !== null) return [part, text] as const;
      throw new PortFailure(
        'InvalidRun',
        `version ${version} of item ${item} of dataset ${dataset} is missing or damaged`,
      );
    }),
  );
  return Object.fromEntries(entries);
}

async function prepareCall(
  { buildingFiles, clock, model }: BuildingPorts,
  build: Build,
  {
    ref,
    seed,
    database,
    texts,
    attempt,
  }: {
    readonly ref: PartRef;
    readonly seed: Build['seeds'][number];
    readonly database: DescribedDatabase;
    readonly texts: Texts;
    readonly attempt: CallAttempt;
  },
): Promise<ReadyCall<CallRecord>> {
  const { dataset, item, step, call, remark, failures } = ref;
  const failed = failures.length === 0 ? null : await buildingFiles.call(dataset, item, call - 1);
  const request = stepRequest(
    build.model,
    {
      ...{ step, texts, remark, failures },
      schema: renderDatabaseDdl(database),
      seedQuestion: seed.question,
      failedReply: failed?.raw ?? null,
    },
    build.prompts,
  );
  const startedAt = clock.now();
  const charged = { ...request, dataset, capped: isCapped(build.budget) };
  return readyCall(
    () => model.complete(charged, attempt.signal, attempt.report),
    (reply) => ({
      ...{ call, step },
      prompts: build.prompts.version,
      asked: build.model.name,
      ...paidReply(request, reply, attempt),
      startedAt,
      endedAt: clock.now(),
    }),
  );
}

/** Reads the reply, tries its statements out, and stores the version that it makes. */
async function settle(
  { buildingFiles, scratch, clock }: BuildingPorts,
  ref: PartRef,
  {
    record,
    database,
    texts,
  }: { readonly record: CallRecord; readonly database: DescribedDatabase; readonly texts: Texts },
  signal: AbortSignal,
): Promise<StepEnd> {
  const { dataset, item, step, version } = ref;
  const reply = readStepReply(step, record);
  if (reply.kind === 'unreadable') return reply;
  const { text } = reply;
  const part = partOf[step];
  let results: readonly ShownResult[] = [];
  if (part === 'rows' || part === 'queries') {
    const rows = part === 'rows' ? text : (texts.rows?.text ?? '');
    const tried = await tryRows(
      scratch,
      { database, rows, queries: part === 'rows' ? '' : text },
      signal,
    );
    if (tried.kind === 'fails') return { kind: 'check-failed', message: tried.message };
    results = part === 'rows' ? tried.tables : tried.results;
    const problem = part === 'queries' ? queriesProblem(results) : null;
    if (problem !== null) return { kind: 'check-failed', message: problem };
  }
  await buildingFiles.saveText(dataset, item, { version, part, text, results });
  const { call, prompts, model, asked } = record;
  const made: Version = {
    ...{ version, part },
    at: clock.now(),
    by: { kind: 'model', step, call, model: model ?? asked, prompts },
    preview: preview(text, previewLength),
  };
  return { kind: 'made', version: made };
}
