import { randomUUID } from 'node:crypto';
import {
  createIngestionActivities,
  type IngestionPorts,
} from '../../../activities/ingestion/ingestion.js';
import type { StoreName } from '../../../domain/ids.js';
import { defaultConflictPolicy, type ConflictPolicy } from '../../../domain/stores/add-papers.js';
import { hashingName } from '../../../domain/embedders.js';
import { ingestionResult, type IngestPapersResult } from '../../../domain/stores/ingestion.js';
import { runActivity } from '../run-activity.js';

/** The ingestion workflow's activities in their order, without Temporal; `until` cuts it off behind a step. */
export async function ingestLocally(
  ports: IngestionPorts,
  store: StoreName,
  files: readonly string[],
  {
    until,
    onConflict = defaultConflictPolicy,
  }: { readonly until?: 'tables' | 'collections'; readonly onConflict?: ConflictPolicy } = {},
): Promise<IngestPapersResult> {
  const activities = createIngestionActivities(ports);
  const info = { workflowExecution: { workflowId: 'ingestion', runId: randomUUID() } };
  const run = <Input, Result>(
    activity: (input: Input) => Promise<Result>,
    input: Input,
  ): Promise<Result> => runActivity(activity, input, { info });

  const ingestion = { store, id: randomUUID() };
  const { create, ignored, progress, remove } = ports.ingestionFiles;
  try {
    const pages = await create(ingestion, files);
    for (let page = 1; page <= pages; page += 1) {
      const { fresh } = await run(activities.planIngestion, { ingestion, page });
      for (const pdf of fresh) await run(activities.readPaper, { store, ...pdf });
    }
    const { kind } = await run(activities.buildTables, {
      ...{ store, ingestion, onConflict },
      embedder: hashingName,
    });
    if (kind === 'built' && until !== 'tables') {
      await run(activities.buildCollections, { store, embedder: hashingName });
      if (until !== 'collections') await run(activities.publishStore, { store });
    }
    if (until === undefined) await run(activities.removeLeftovers, { store, ingestion });
    return ingestionResult(await progress(ingestion), await ignored(ingestion));
  } finally {
    await remove(ingestion);
  }
}
