import type { Client } from '@temporalio/client';
import type { Environment } from '../domain/settings.js';
import { ensureServices, type Services } from './services.js';
import { connectTemporal } from './temporal.js';
import { Interrupted } from './user-error.js';

export interface Session {
  readonly client: Client;
  readonly services: Services;
}

/**
 * Runs `work` with the services there: those that are running, else some started for as long as it takes.
 * Steps are told on stderr, so that stdout is the command's own.
 */
export async function withServices<T>(
  environment: Environment,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const services = await ensureServices(environment, (step) => console.error(step));
  try {
    const client = await connectTemporal(services.temporalAddress);
    try {
      return await Promise.race([work({ client, services }), interruption()]);
    } finally {
      await client.connection.close();
    }
  } finally {
    await services.stop();
  }
}

/** Ctrl-C ends the command, not what it started: that goes on wherever services run, or when they run again. */
async function interruption(): Promise<never> {
  const signal = await new Promise<string>((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve);
  });
  throw new Interrupted(signal);
}
