import { Client, type ClientOptions } from '@temporalio/client';
import { taskQueueOf, type HomeId } from '../../domain/home.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { openHomeId } from '../../storage/home-id.js';
import { openStorage } from '../../storage/open-storage.js';

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

/** The settings that say which home it is, and who works for it. */
export type HomeSettings = Pick<
  Environment,
  'TURNWISE_STORAGE' | 'TURNWISE_HOME' | 'TURNWISE_TASK_QUEUE'
>;

/** The id and the task queue of a home. Throws UserError where its storage cannot be used. */
export async function identityOf(
  environment: HomeSettings,
): Promise<{ readonly home: HomeId; readonly queue: string }> {
  try {
    const home = await openHomeId(openStorage(storageOf(environment)));
    return { home, queue: taskQueueOf(environment.TURNWISE_TASK_QUEUE, home) };
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error));
  }
}
