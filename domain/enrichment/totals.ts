import { z } from 'zod';
import { costOfReply } from '../agent/turn-record.js';
import { amountSchema, noAmount, sum } from '../budget/amount.js';
import { amountOfReply } from '../runs/spent-amount.js';
import { callsProgressSchema } from '../scoring/open-calls.js';
import {
  enrichmentKinds,
  questionAbout,
  type EnrichmentKind,
  type EnrichmentJob,
  type EnrichmentRecord,
} from './job.js';
import type { AskedPaper } from './asked-paper.js';

const count = z.int().nonnegative();

/** How many items of a kind stand how. The others have no reply yet. */
const kindTotalsSchema = z.object({
  /** Of which the job asks. */
  items: count,
  answered: count,
  /** The model had nothing to say. */
  nothing: count,
  unusable: count,
});
type KindTotals = Readonly<z.infer<typeof kindTotalsSchema>>;

/** What a job has led to, as far as it is. */
const enrichmentTotalsSchema = z.object({
  kinds: z.partialRecord(z.enum(enrichmentKinds), kindTotalsSchema).readonly(),
  /** How many replies could not be used, by reason. */
  unusable: z.record(z.string(), count).readonly(),
  /** Papers of which nothing can be asked, since their text is lost. */
  lost: count,
  /** By all replies about the papers of the job, those of other jobs included. */
  spent: amountSchema,
  /** Replies among them of which nobody knows what they cost. */
  unpriced: count,
});
export type EnrichmentTotals = Readonly<z.infer<typeof enrichmentTotalsSchema>>;

/** The result of an enrichment. */
export const enrichmentResultSchema = z.object({
  /** Of the calls. */
  progress: callsProgressSchema,
  totals: enrichmentTotalsSchema,
});
export type EnrichmentResult = Readonly<z.infer<typeof enrichmentResultSchema>>;

interface EnrichmentTally {
  /** @param records - about the paper */
  readonly add: (asked: AskedPaper, records: readonly EnrichmentRecord[]) => void;
  /** A paper whose text is lost. */
  readonly addLost: () => void;
  readonly totals: () => EnrichmentTotals;
}

/** Counts the items of a job, paper by paper. */
export function newEnrichmentTally(job: EnrichmentJob): EnrichmentTally {
  const kinds: Partial<Record<EnrichmentKind, KindTotals>> = {};
  const unusable: Record<string, number> = {};
  let lost = 0;
  let spent = noAmount;
  let unpriced = 0;
  return {
    add: ({ items }, records) => {
      spent = sum([spent, ...records.map(amountOfReply)]);
      unpriced += records.filter((record) => costOfReply(record) === null).length;
      for (const answered of items) {
        if (answered === null || questionAbout(answered.item, job) === null) continue;
        const { item, reply } = answered;
        const before = kinds[item.kind] ?? { items: 0, answered: 0, nothing: 0, unusable: 0 };
        const isAnswered = reply?.kind === 'text' || reply?.kind === 'catalogued';
        kinds[item.kind] = {
          items: before.items + 1,
          answered: before.answered + (isAnswered ? 1 : 0),
          nothing: before.nothing + (reply?.kind === 'nothing' ? 1 : 0),
          unusable: before.unusable + (reply?.kind === 'unusable' ? 1 : 0),
        };
        if (reply?.kind === 'unusable') unusable[reply.reason] = (unusable[reply.reason] ?? 0) + 1;
      }
    },
    addLost: () => {
      lost += 1;
    },
    totals: () => ({ kinds: { ...kinds }, unusable: { ...unusable }, lost, spent, unpriced }),
  };
}
