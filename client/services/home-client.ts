import { Client, type ClientOptions } from '@temporalio/client';
import { homeOf, taskQueueOf, type Home, type HomeId } from '../../domain/home.js';
import { searchAttributes, type RunId } from '../../domain/ids.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { taskQueuesOf } from '../../domain/stores/ingestion.js';
import { UserError } from '../../domain/user-error.js';
import { openHome, openStorage } from '../../storage/open-storage.js';
import { backlogOf } from '../../temporal/backlog.js';
import { workflowNames } from '../../workflows/messages.js';

/** A client of Temporal for the workflows of one home. */
export class HomeClient extends Client {
  constructor(
    options: ClientOptions,
    readonly home: HomeId,
    /** Of the workers that read this home. */
    readonly queue: string,
  ) {
    super(options);
  }
}

/**
 * The same client for the home of a run whose files are elsewhere: of an open one, else of one that has ended. Null where
 * there is no such run. Throws UserError where several homes have one.
 */
export async function atHomeOf(
  client: HomeClient,
  run: RunId,
  { TURNWISE_TASK_QUEUE }: Pick<Environment, 'TURNWISE_TASK_QUEUE'>,
): Promise<HomeClient | null> {
  const query = `${searchAttributes.run} = '${run}' AND WorkflowType = '${workflowNames.runDataset}'`;
  const open = new Set<HomeId>();
  const ended = new Set<HomeId>();
  for await (const { workflowId, status } of client.workflow.list({ query }))
    (status.name === 'RUNNING' ? open : ended).add(homeOf(workflowId));
  const homes = open.size > 0 ? open : ended;
  const [home, ...others] = homes;
  if (home === undefined) return null;
  if (others.length > 0) {
    throw new UserError(
      `homes ${[...homes].join(' and ')} each have a run ${run}: set TURNWISE_HOME or TURNWISE_STORAGE to the one that is meant`,
    );
  }
  const { namespace, dataConverter } = client.options;
  return new HomeClient(
    { connection: client.connection, namespace, dataConverter },
    home,
    taskQueueOf(TURNWISE_TASK_QUEUE, home),
  );
}

/** How many tasks of a home wait for a worker. @param names - of its task queues, as TURNWISE_TASK_QUEUE has them */
export const waitingTasks = (client: HomeClient, names: readonly string[]): Promise<number> =>
  backlogOf(
    client.connection,
    client.options.namespace,
    names.flatMap((name) => taskQueuesOf(taskQueueOf(name, client.home))),
  );

/** The settings that say which home it is, who works for it, and where. */
export type HomeSettings = Pick<
  Environment,
  | 'TURNWISE_STORAGE'
  | 'TURNWISE_HOME'
  | 'TURNWISE_TASK_QUEUE'
  | 'TEMPORAL_ADDRESS'
  | 'TEMPORAL_NAMESPACE'
  | 'TURNWISE_PAYLOAD_KEY'
>;

/** A home, its id and its task queue. Throws UserError where its storage cannot be used. */
export async function identityOf(
  environment: HomeSettings,
): Promise<{ readonly found: Home; readonly home: HomeId; readonly queue: string }> {
  try {
    const found = await openHome(openStorage(storageOf(environment)));
    const home = found.id;
    return { found, home, queue: taskQueueOf(environment.TURNWISE_TASK_QUEUE, home) };
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error));
  }
}
