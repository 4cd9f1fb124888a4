import { InterceptingCall, Metadata, status, type Interceptor } from '@grpc/grpc-js';
import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { Environment } from '../../domain/settings.js';
import { connectedOr } from '../../temporal/explain-failure.js';
import { requireNamespace } from '../../temporal/namespace.js';
import { clientOptions } from '../../temporal/payload-codec.js';
import { requirePayloadKey } from '../../temporal/payload-key.js';
import { embeddedServer, namedServer } from '../../temporal/server-settings.js';
import { ensureServices, type Services } from './ensure-services.js';
import { HomeClient, identityOf, type HomeSettings } from './home-client.js';
import { childEnvironment } from './programs.js';
import { tell } from './tell.js';
import { Interrupted, interruption } from './user-error.js';

export interface Session {
  readonly client: HomeClient;
  readonly services: Services;
  /** Rejects when the user wants the command to end. What it has started goes on wherever services run. */
  readonly interrupted: Promise<never>;
}

interface ServicesHooks {
  /** Runs once, while the services start, and ends before `work` begins. */
  readonly meanwhile?: () => Promise<void>;
  /** Called when this command has started the services. What it returns is closed before they stop. */
  readonly onStarted?: (services: Services) => { readonly close: () => Promise<void> };
}

/**
 * Runs `work` with the running services. Where there are none, this command starts them, and stops them after `work`.
 * Progress of the start goes to stderr, so that stdout has only the output of the command.
 * @throws Interrupted, with what becomes of the work.
 */
export async function withServices<T>(
  environment: Environment,
  work: (session: Session) => Promise<T>,
  { meanwhile = () => Promise.resolve(), onStarted }: ServicesHooks = {},
): Promise<T> {
  const interrupted = interruption();
  let done: Promise<void> | null = null;
  const doMeanwhile = (): Promise<void> => (done ??= meanwhile());
  const starting = ensureServices(environment, (step) => {
    tell(step);
    // The `await` below reports a failure.
    doMeanwhile().catch(() => undefined);
  });
  const services = await Promise.race([starting, interrupted]);
  const hook = services.startedHere ? onStarted?.(services) : undefined;
  const stop = async (): Promise<void> => {
    await hook?.close();
    await services.stop();
  };
  return withFound({ ...services, stop }, environment, interrupted, async (session) => {
    await doMeanwhile();
    return work(session);
  });
}

/** The same with services that run already. */
export const withServicesOf = <T>(
  services: Services,
  environment: HomeSettings,
  work: (session: Session) => Promise<T>,
): Promise<T> => withFound(services, environment, interruption(), work);

async function withFound<T>(
  services: Services,
  environment: HomeSettings,
  interrupted: Promise<never>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  try {
    return await Promise.race([
      withConnection(services.temporalAddress, environment, (client) =>
        work({ client, services, interrupted }),
      ),
      interrupted,
      services.lost,
    ]);
  } catch (error) {
    throw error instanceof Interrupted ? error.with(await fateOfWork(services)) : error;
  } finally {
    await services.stop();
  }
}

/** Works with a client of `connectTemporal`, and closes its connection. */
export async function withConnection<T>(
  address: string,
  environment: HomeSettings,
  work: (client: HomeClient) => Promise<T>,
): Promise<T> {
  const client = await connectTemporal(address, environment);
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}

/** What becomes of the work of a command that is interrupted. */
export async function fateOfWork({
  startedHere,
  areThere,
}: Pick<Services, 'startedHere' | 'areThere'>): Promise<string> {
  if (startedHere) {
    return 'stopped, with the services it had started; nothing is lost: what is under way goes on when services run again (`turnwise up`, or the same command)';
  }
  return (await areThere())
    ? 'no longer watching; what is under way goes on, since the services are still running: `turnwise status RUN --watch` follows a run, and `turnwise cancel RUN` ends it'
    : 'no longer watching; the services do not run any more, and nothing is lost: what is under way goes on when they run again (`turnwise up`, or the same command)';
}

/**
 * A client of the server at `address` for a home; TLS, keys and namespace of a server of the user's own as Temporal's own
 * tools read them.
 * @throws UserError where it cannot be reached, does not let the namespace be used, or its payloads could not be read
 */
export async function connectTemporal(
  address: string,
  environment: HomeSettings,
): Promise<HomeClient> {
  const { found, home, queue } = await identityOf(environment);
  const { TURNWISE_PAYLOAD_KEY: key } = environment;
  requirePayloadKey(found, key, 'client');
  const named =
    environment.TEMPORAL_ADDRESS === undefined
      ? undefined
      : namedServer({ ...childEnvironment(environment), TEMPORAL_ADDRESS: address });
  const server = named ?? embeddedServer(address, environment.TEMPORAL_NAMESPACE);
  const connection = await connectedOr(server, () =>
    Connection.connect({
      ...server.connection,
      connectTimeout: '10 seconds',
      // The server refuses more than one ping in about ten seconds, and says so on the console.
      channelArgs: { 'grpc.keepalive_time_ms': 60_000 },
      interceptors: retryUnlessClosed(),
    }),
  );
  if (named) await requireNamespace(connection, named);
  return new HomeClient({ connection, ...clientOptions(server.namespace, key) }, home, queue);
}

/** Retries as the SDK does, until the connection is closed. */
export const retryUnlessClosed = (): Interceptor[] => [
  makeGrpcRetryInterceptor(defaultGrpcRetryOptions()),
  cancelOnClosedChannel,
];

/**
 * gRPC throws when a call starts on a closed channel. The SDK starts its retries in a timer: nothing catches the exception
 * there, and it would end the process. Such a call fails with CANCELLED instead, which is not retried.
 */
const cancelOnClosedChannel: Interceptor = (options, nextCall) => {
  try {
    return new InterceptingCall(nextCall(options));
  } catch (error) {
    return cancelledCall(String(error));
  }
};

/** A call that is answered when it starts, and never reaches the channel. */
function cancelledCall(details: string): InterceptingCall {
  // No next call is needed, since `start` hands nothing on.
  const noCall = null as unknown as InterceptingCall;
  return new InterceptingCall(noCall, {
    start: (_metadata, listener) => {
      listener.onReceiveMessage(null);
      listener.onReceiveStatus({ code: status.CANCELLED, details, metadata: new Metadata() });
    },
    cancel: () => undefined,
  });
}
