import type { Client } from '@temporalio/client';
import type { Environment } from '../domain/settings.js';
import { interruption } from './interruption.js';
import { ensureServices, type Services } from './services.js';
import { connectTemporal } from './temporal.js';
import { Interrupted } from './user-error.js';

export interface Session {
  readonly client: Client;
  readonly services: Services;
  /** Rejects when the user wants the command to end. What it has started goes on wherever services run. */
  readonly interrupted: Promise<never>;
}

/**
 * Runs `work` with the services there: those that are running, else some started for as long as it takes.
 * Steps are told on stderr, so that stdout is the command's own.
 * @param meanwhile - done while they start, and before `work`
 * @throws Interrupted, saying what becomes of the work.
 */
export async function withServices<T>(
  environment: Environment,
  work: (session: Session) => Promise<T>,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  const interrupted = interruption();
  let done: Promise<void> | null = null;
  const doMeanwhile = (): Promise<void> => (done ??= meanwhile());
  const starting = ensureServices(environment, (step) => {
    console.error(step);
    // Whether it fails is seen below.
    doMeanwhile().catch(() => undefined);
  });
  const services = await Promise.race([starting, interrupted]);
  return withFound(services, interrupted, async (session) => {
    await doMeanwhile();
    return work(session);
  });
}

/** The same with services that run already. */
export const withServicesOf = <T>(
  services: Services,
  work: (session: Session) => Promise<T>,
): Promise<T> => withFound(services, interruption(), work);

async function withFound<T>(
  services: Services,
  interrupted: Promise<never>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  try {
    return await Promise.race([
      withClient({ services, interrupted }, work),
      interrupted,
      services.lost,
    ]);
  } catch (error) {
    throw error instanceof Interrupted ? error.with(fateOfWork(services)) : error;
  } finally {
    await services.stop();
  }
}

async function withClient<T>(
  session: Omit<Session, 'client'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await connectTemporal(session.services.temporalAddress);
  try {
    return await work({ ...session, client });
  } finally {
    await client.connection.close();
  }
}

const fateOfWork = ({ startedHere }: Services): string =>
  startedHere
    ? 'stopped, with the services it had started; nothing is lost: what is under way goes on when services run again (`turnwise up`, or the same command)'
    : 'no longer watching; what is under way goes on, since the services are still running';
