import { randomUUID } from 'node:crypto';
import {
  createIngestionActivities,
  type IngestionPorts,
} from '../../../activities/ingestion/ingestion.js';
import type { StoreName } from '../../../domain/ids.js';
import { defaultConflictPolicy, type ConflictPolicy } from '../../../domain/stores/add-papers.js';
import {
  ingestionResult,
  addPlannedFiles,
  type IngestPapersResult,
} from '../../../domain/stores/ingestion.js';
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

  const plan = await run(activities.planIngestion, { store, files });
  const { toRead, progress } = addPlannedFiles({ read: [], unchanged: [], failed: [] }, plan);
  for (const pdf of toRead) await run(activities.readPaper, { store, ...pdf });
  const added = toRead.map(({ sha256 }) => sha256);
  const { kind, ignored } = await run(activities.buildTables, { store, added, onConflict });
  if (kind === 'built' && until !== 'tables') {
    await run(activities.buildCollections, { store });
    if (until !== 'collections') await run(activities.publishStore, { store });
  }
  return ingestionResult({ ...progress, read: toRead }, ignored);
}
