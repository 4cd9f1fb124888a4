import type { Cap } from '../../../domain/budget/amount.js';
import {
  enrichmentForecast,
  type EnrichmentForecast,
  askedPaper,
} from '../../../domain/enrichment/asked-paper.js';
import {
  enrichmentIdOf,
  enrichmentJobFile,
  enrichmentJobFolder,
  type EnrichmentJob,
  enrichmentFolder,
} from '../../../domain/enrichment/job.js';
import type { EnrichmentResult } from '../../../domain/enrichment/totals.js';
import { jsonIn } from '../../../domain/formats/json.js';
import type { StoreName } from '../../../domain/ids.js';
import type { Environment } from '../../../domain/settings.js';
import { paperRows } from '../../../domain/stores/paper-rows.js';
import { keptPaperSchema } from '../../../domain/stores/paper-tables.js';
import {
  extractedPaperFile,
  storeFolder,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import { accessingFiles, jsonText } from '../../../storage/atomic-file.js';
import { readEnrichmentRecords } from '../../../storage/paid-records.js';
import { readText } from '../../../storage/objects.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import type { enrichPapersWorkflow } from '../../../workflows/jobs/call-jobs.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { Session } from '../../services/session.js';
import { inTurn } from './store-workflows.js';
import { embedderFor, inWords } from './store-files.js';
import { findPaper } from './store-papers.js';
import { jobLimits, followCalls } from '../scoring/execute-calls.js';

/** Papers of a store that are read for a forecast. */
const papersCounted = 100;

/**
 * The papers of a store that are named; all if none is.
 * @throws UserError for a name that no paper has, or several
 */
export function papersNamed(
  store: StoreManifest,
  names: readonly string[],
): EnrichmentJob['papers'] {
  const chosen = new Set(names.map((name) => findPaper(store, name)));
  return store.papers
    .filter((paper) => names.length === 0 || chosen.has(paper))
    .map(({ paperId, sha256, file }) => ({ paperId, sha256, file }));
}

/** What a job will take, from up to 100 of its papers. Those whose text is lost are left out. */
export async function planEnrichment(
  settings: StoreSettings,
  store: StoreName,
  job: EnrichmentJob,
): Promise<EnrichmentForecast> {
  const { storage } = openStorePlace(settings);
  const folder = storeFolder(store);
  const step = Math.max(1, job.papers.length / papersCounted);
  const some: Parameters<typeof enrichmentForecast>[1][number][] = [];
  for (let at = 0; at < job.papers.length; at += step) {
    const sha256 = job.papers[Math.floor(at)]?.sha256 ?? '';
    const text = await inWords(() =>
      accessingFiles(`store ${store} cannot be read`, () =>
        readText(storage, `${folder}/${extractedPaperFile(sha256)}`),
      ),
    );
    const kept = keptPaperSchema.safeParse(jsonIn(text ?? '')).data;
    if (kept === undefined) continue;
    const records = await readEnrichmentRecords(storage, `${folder}/${enrichmentFolder(sha256)}`);
    some.push({ asked: askedPaper(paperRows(kept), kept.path !== null, records), records });
  }
  return enrichmentForecast(job, some);
}

/** Starts or continues an enrichment, and follows it until the store is built with it. One at a time works on a store. */
export async function executeEnrichment(
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
  job: EnrichmentJob,
  limits: { readonly concurrency: number; readonly budget: Cap },
): Promise<EnrichmentResult> {
  const id = enrichmentIdOf(job);
  const { storage } = openStorePlace(environment);
  const file = `${storeFolder(store)}/${enrichmentJobFile(id)}`;
  await inWords(() =>
    accessingFiles(`${file} cannot be written`, () => storage.write(file, jsonText(job))),
  );
  const { model, vision, papers } = job;
  return inTurn(client, store, {
    execute: async (options) => {
      await client.workflow.start<typeof enrichPapersWorkflow>(workflowNames.enrichPapers, {
        ...options,
        staticSummary: `enrichment of ${papers.length} papers of store ${store}`,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        args: [
          {
            ...{ store, job: id, cases: papers.length },
            embedder: await embedderFor(environment, store),
            ...limits,
            ...jobLimits(
              [model, vision].filter((each) => each !== null),
              `${storeFolder(store)}/${enrichmentJobFolder(id)}`,
            ),
          },
        ],
      });
      const handle = client.workflow.getHandle<typeof enrichPapersWorkflow>(options.workflowId);
      return followCalls(handle, { done: 'asked about', cases: 'papers' });
    },
    failure: (reason) =>
      `the enrichment of store ${store} failed: ${reason}; what models have said is kept, and the same command goes on`,
  });
}
