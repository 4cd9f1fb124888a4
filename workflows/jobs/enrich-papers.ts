import { continueAsNew } from '@temporalio/workflow';
import type { EnrichmentId } from '../../domain/enrichment/job.js';
import type { EnrichmentResult } from '../../domain/enrichment/totals.js';
import type { StoreName } from '../../domain/ids.js';
import { buildStore } from '../stores/ingest-papers.js';
import { makeOpenCalls, type CallsInput } from './open-calls.js';
import { forMinutes, queued } from '../scheduling.js';

const { findOpenItems, openEnrichment, countEnrichment } = queued('1 hour', forMinutes);

export interface EnrichPapersInput extends CallsInput {
  readonly store: StoreName;
  readonly job: EnrichmentId;
}

/**
 * Asks models about the papers of a store, and builds its next generation with what they have said, also where the budget or
 * failures stopped the calls. The budget holds for all replies about these papers: what earlier workflows have spent counts.
 */
export async function enrichPapersWorkflow(input: EnrichPapersInput): Promise<EnrichmentResult> {
  const { store, job } = input;
  const { kind, progress } = await makeOpenCalls(input, {
    cases: 'papers',
    spentBefore: () => openEnrichment({ store, job }),
    find: (from) => findOpenItems({ store, job, from }),
    make: ({ enrichItem }, { index, member, key }, ...attempts) => {
      const summary = `paper ${index + 1}, item ${member + 1}`;
      return enrichItem.executeWithOptions({ summary }, [
        { store, job, index, member, key },
        ...attempts,
      ]);
    },
  });
  if (kind === 'history-full') {
    return continueAsNew<typeof enrichPapersWorkflow>({ ...input, progress });
  }
  await buildStore({ store, ingestion: null, ifChanged: true });
  return { progress, totals: await countEnrichment({ store, job }) };
}
