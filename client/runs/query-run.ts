import { inHome, workersOf } from '../../domain/home.js';
import { accountWorkflowPrefix, runWorkflowId } from '../../domain/ids.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import { isSlow } from '../../domain/runs/slow-question.js';
import { accountQuery, progressQuery } from '../../workflows/messages.js';
import { stuckText } from '../../domain/stuck-workflow.js';
import { findWorkflow } from '../../temporal/stuck-workflows.js';
import { connectTemporal } from '../services/session.js';
import type {
  AskServer,
  LiveState,
  ProviderAccount,
  ServerAnswer,
  ServerQuery,
} from './status/run-snapshot.js';
import { questionHistories, slowQuestions } from './status/slow-questions.js';
import type { RunHandle } from './start-run.js';
import { atHomeOf, type HomeClient, type HomeSettings } from '../services/home-client.js';

/** Longer than a worker takes to answer that is not overloaded. */
const answerMs = 3_000;
const slowListed = 10;

export async function queryRun(client: HomeClient, query: ServerQuery): Promise<ServerAnswer> {
  const { isEnded, model } = query;
  const [live, histories, accounts] = await Promise.all([
    isEnded ? null : queryLive(client, query),
    questionHistories(client, query.run, query.histories),
    isEnded || model === null ? [] : queryAccounts(client, model),
  ]);
  return { live, histories, accounts };
}

/** The same over a connection of its own. */
export const queryServer =
  (temporalAddress: string, environment: HomeSettings): AskServer =>
  async (query) => {
    const client = await connectTemporal(temporalAddress, environment);
    try {
      const home = query.folder ? client : await atHomeOf(client, query.run, environment);
      return await queryRun(home ?? client, query);
    } finally {
      await client.connection.close();
    }
  };

export async function queryLive(
  client: HomeClient,
  query: Pick<ServerQuery, 'run' | 'folder'>,
): Promise<LiveState> {
  const { run, folder } = query;
  const handle: RunHandle = client.workflow.getHandle(runWorkflowId(client.home, run));
  const [found, progress] = await Promise.all([
    findWorkflow(client, handle.workflowId),
    client.withDeadline(Date.now() + answerMs, () => handle.query(progressQuery)).catch(() => null),
  ]);
  if (found.kind === 'stuck') return { kind: 'stuck', why: stuckText(found.stuck) };
  if (found.kind !== 'open') return { kind: 'not-open' };
  if (progress === null) return { kind: 'silent', workers: await countWorkers(client) };
  const now = Date.now();
  const slow = await slowQuestions({ client, run, folder, progress }, slowListed, (question) =>
    isSlow(question, now),
  );
  return { kind: 'open', progress, slow };
}

/** Workers that have polled the task queue recently. */
async function countWorkers(client: HomeClient): Promise<number> {
  const { namespace } = client.options;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: client.queue },
  });
  return workersOf(pollers, Date.now());
}

/**
 * What the workers know of the provider's limits for a model, for each key in use. Empty where no worker has called the
 * model in the last minutes, or Temporal does not answer.
 */
export async function queryAccounts(
  client: HomeClient,
  { baseUrl, name: model }: Pick<ModelConfig, 'baseUrl' | 'name'>,
): Promise<readonly ProviderAccount[]> {
  const query = `WorkflowId STARTS_WITH '${inHome(client.home, accountWorkflowPrefix(baseUrl, model))}' AND ExecutionStatus = 'Running'`;
  try {
    return await client.withDeadline(Date.now() + answerMs, async () => {
      const accounts: ProviderAccount[] = [];
      for await (const { workflowId } of client.workflow.list({ query })) {
        const summary = await client.workflow.getHandle(workflowId).query(accountQuery);
        accounts.push({ baseUrl, model, summary });
      }
      return accounts;
    });
  } catch {
    return [];
  }
}
