import { noAmount, sum, type Amount } from '../../domain/budget/amount.js';
import { sizeOf } from '../../domain/budget/call-size.js';
import {
  countedRequest,
  enrichmentRecordSchema,
  enrichmentRequest,
  enrichmentPromptVersion,
  type EnrichmentId,
  type EnrichmentJob,
  type Question,
  type EnrichmentRecord,
} from '../../domain/enrichment/job.js';
import { newEnrichmentTally, type EnrichmentTotals } from '../../domain/enrichment/totals.js';
import { openQuestions, type AskedPaper } from '../../domain/enrichment/asked-paper.js';
import { pictureUrl } from '../../domain/agent/turn-record.js';
import type { StoreName } from '../../domain/ids.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { JobOwner } from '../../domain/runs/batches.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { amountOfReply } from '../../domain/runs/spent-amount.js';
import type { CallMade, FoundCalls, OpenCall } from '../../domain/scoring/open-calls.js';
import { drawingTimeoutMs } from '../../domain/worker-timeouts.js';
import { activity } from '../failures.js';
import { requireSamePictures } from '../ingestion/build-tables.js';
import { knownPaper, askedPaperOf, type SourcePorts } from '../ingestion/paper-source.js';
import type { ClockPort } from '../ports/clock.js';
import type { EmbedderPort, ModelPort, ModelRequest } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { StoreWriterPort } from '../ports/stores.js';
import type { PicturesPort } from '../ports/tools.js';
import {
  attemptCall,
  batchedCalls,
  callMade,
  paidReply,
  ofJob,
  paidActivity,
  readyCall,
  type BatchedCallsInput,
  type CallAttempt,
  type ReadyCall,
  type TakenCall,
} from '../questions/call-attempt.js';

type KnownPorts = Pick<SourcePorts, 'enrichment' | 'paperFiles'>;

interface EnrichmentRef {
  readonly store: StoreName;
  readonly job: EnrichmentId;
}

/** Papers that are looked at by one activity. */
const batchSize = 20;

/** A paper of a job as it stands now. */
interface Known {
  readonly paper: EnrichmentJob['papers'][number];
  readonly asked: AskedPaper;
  readonly records: readonly EnrichmentRecord[];
}

/** Null if the text of the paper is lost. */
async function knownOf(
  ports: KnownPorts,
  store: StoreName,
  paper: EnrichmentJob['papers'][number],
): Promise<Known | null> {
  const known = await knownPaper(ports, store, paper.sha256);
  if (known === null) return null;
  return { paper, asked: askedPaperOf(known), records: known.records };
}

const openCalls = (
  job: EnrichmentJob,
  index: number,
  { asked, records }: Known,
): readonly OpenCall[] =>
  openQuestions(job, asked, records).map(({ place, question }) => ({
    index,
    member: place,
    key: question.key,
    size: sizeOf(countedRequest(question)),
  }));

/**
 * Fails where the store could not be built after the calls, before anything is paid. Resolves to what the replies about the
 * papers of the job have cost so far.
 */
export function createOpenEnrichment(
  ports: KnownPorts & {
    readonly storeWriter: StoreWriterPort;
    readonly pictureEmbedder: EmbedderPort | null;
  },
): (ref: EnrichmentRef) => Promise<Amount> {
  return activity(async ({ store, job: id }) => {
    const manifest = await ports.storeWriter.manifest(store);
    if (manifest === null) throw new PortFailure('StoreMissing', `There is no store ${store}.`);
    requireSamePictures(manifest, ports.pictureEmbedder);
    const job = await ports.enrichment.job(store, id);
    let spent = noAmount;
    for (const { sha256 } of job.papers) {
      const records = await ports.enrichment.records(store, sha256);
      spent = sum([spent, ...records.map(amountOfReply)]);
    }
    return spent;
  });
}

/** The questions about some papers that have no reply. Cases are the papers of the job, members the places of their items. */
export function createFindOpenItems(
  ports: KnownPorts,
): (input: EnrichmentRef & { readonly from: number }) => Promise<FoundCalls> {
  return activity(async ({ store, job: id, from }) => {
    const job = await ports.enrichment.job(store, id);
    const open: OpenCall[] = [];
    const end = Math.min(job.papers.length, from + batchSize);
    for (const [place, paper] of job.papers.slice(from, end).entries()) {
      const known = await knownOf(ports, store, paper);
      if (known !== null) open.push(...openCalls(job, from + place, known));
    }
    return { open, next: end < job.papers.length ? end : null };
  });
}

export interface ItemRef extends EnrichmentRef {
  /** Of the paper in its job, from 0. */
  readonly index: number;
  /** The place of the item in its paper (`itemsOf`). */
  readonly member: number;
  /** Of the question (`OpenCall`). */
  readonly key: string;
}

interface AskingPorts extends KnownPorts {
  readonly clock: ClockPort;
  readonly model: ModelPort;
  readonly pictures: PicturesPort;
  /** How long one attempt keeps trying to store a reply. @defaultValue storeReplyForMs */
  readonly storeForMs?: number;
}

/** One call about an item. The workflow that schedules it has reserved its cost. */
export const createEnrichItem = (
  ports: AskingPorts,
): ((ref: ItemRef, before?: CallAttempts) => Promise<CallMade | Deferral>) =>
  paidActivity(enrichItem(ports));

/** Many of them, in batches. */
export const createEnrichItems = (
  ports: AskingPorts,
): ((input: BatchedCallsInput & EnrichmentRef) => Promise<readonly TakenCall[]>) =>
  batchedCalls<EnrichmentRef>(enrichItem(ports));

/** @param owner - of the batch; absent for a call that is sent at once */
function enrichItem(
  ports: AskingPorts,
): (ref: ItemRef, before?: CallAttempts, owner?: JobOwner) => Promise<CallMade | Deferral> {
  return async ({ store, job: id, index, member, key }, before, owner) => {
    const job = await ports.enrichment.job(store, id);
    const paper = job.papers[index];
    const known = paper && (await knownOf(ports, store, paper));
    if (!known) return callMade(null, []);
    const { asked, records } = known;
    // An earlier attempt of this activity may have stored the reply.
    const stored = records.find(({ question }) => question === key);
    if (stored !== undefined) return callMade(stored, openCalls(job, index, known));
    const open = openQuestions(job, asked, records).find(({ place }) => place === member);
    if (open === undefined) return callMade(null, []);
    const { question } = open;
    const record = await attemptCall<EnrichmentRecord, never>({
      before,
      parse: (paid) => enrichmentRecordSchema.safeParse(paid).data,
      prepare: (attempt) =>
        prepareCall(
          ports,
          { store, sha256: known.paper.sha256, question },
          attempt,
          owner && ofJob(owner, { index, member, key }),
        ),
      save: (made) => ports.enrichment.save(store, known.paper.sha256, made),
      storeForMs: ports.storeForMs,
      isOneOfMany: owner !== undefined,
    });
    if ('kind' in record) return record;
    // The text of a scanned page can be summarised now.
    const after = question.item.kind === 'scans' && (await knownOf(ports, store, known.paper));
    return callMade(record, after ? openCalls(job, index, after) : []);
  };
}

async function prepareCall(
  { clock, model, pictures }: AskingPorts,
  {
    store,
    sha256,
    question,
  }: { readonly store: StoreName; readonly sha256: string; readonly question: Question },
  attempt: CallAttempt,
  batch: Pick<ModelRequest, 'batched'> | undefined,
): Promise<ReadyCall<EnrichmentRecord>> {
  const startedAt = clock.now();
  const { item, isShown } = question;
  let url: string | null = null;
  if (isShown && item.picture !== null) {
    const part = { store, sha256, ...item.picture, timeoutMs: drawingTimeoutMs };
    const drawn = await pictures.ofPdf(part, attempt.signal);
    if (drawn.kind !== 'picture') throw undrawn(item.picture.page, drawn);
    url = pictureUrl(drawn.picture);
  }
  const request = { ...enrichmentRequest(question, url), ...batch };
  return readyCall(
    () => model.complete(request, attempt.signal, attempt.report),
    (reply) => ({
      question: question.key,
      item: item.key,
      about: item.kind,
      prompts: enrichmentPromptVersion,
      asked: question.model.name,
      ...paidReply(request, reply, attempt),
      startedAt,
      endedAt: clock.now(),
    }),
  );
}

type NoPicture = Exclude<Awaited<ReturnType<PicturesPort['ofPdf']>>, { kind: 'picture' }>;

/** The same picture cannot be drawn by another attempt either. */
function undrawn(page: number, outcome: NoPicture): PortFailure {
  const reason = {
    'no-paper': 'the store does not hold the paper any more',
    'no-page': 'the PDF has no such page',
    'picture-error': outcome.kind === 'picture-error' ? outcome.message : '',
    'picture-timeout': `it takes more than ${drawingTimeoutMs / 1000} s`,
  }[outcome.kind];
  return new PortFailure('UnreadablePdf', `no picture of page ${page}: ${reason}`);
}

/** Counts what the items of a job have come to. */
export function createCountEnrichment(
  ports: KnownPorts,
): (ref: EnrichmentRef) => Promise<EnrichmentTotals> {
  return activity(async ({ store, job: id }) => {
    const job = await ports.enrichment.job(store, id);
    const tally = newEnrichmentTally(job);
    for (const paper of job.papers) {
      const known = await knownOf(ports, store, paper);
      if (known === null) tally.addLost();
      else tally.add(known.asked, known.records);
    }
    return tally.totals();
  });
}
