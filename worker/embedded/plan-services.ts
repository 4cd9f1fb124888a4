import type { z } from 'zod';
import {
  workerFlags,
  workerReadySchema,
  type ServiceAddresses,
  type workerServeSchema,
} from '../../domain/services.js';
import type { Environment } from '../../domain/settings.js';
import type { Engines } from './engines.js';
import type { Home } from './home.js';
import { milvusLite } from './milvus-lite.js';
import type { PortWish } from './ports.js';
import type { ServiceSpec } from './service.js';
import { temporalServer } from './temporal-server.js';

export type PortName = 'temporal' | 'ui' | 'milvus';

/** Ports that are set, otherwise the last ones, so that clients and bookmarks still work. */
export function portWishes(
  environment: Environment,
  former: ServiceAddresses | undefined,
): Readonly<Record<PortName, PortWish>> {
  const wish = (
    variable: 'TURNWISE_TEMPORAL_PORT' | 'TURNWISE_UI_PORT' | 'TURNWISE_MILVUS_PORT',
    address: string | null | undefined,
  ): PortWish => {
    const port = environment[variable];
    return port === undefined
      ? { kind: 'any', former: localPort(address) }
      : { kind: 'set', port, variable };
  };
  return {
    temporal: wish('TURNWISE_TEMPORAL_PORT', former?.temporalAddress),
    ui: wish('TURNWISE_UI_PORT', former?.uiAddress),
    milvus: wish('TURNWISE_MILVUS_PORT', former?.milvusAddress),
  };
}

function localPort(address: string | null | undefined): number | undefined {
  const port = /127\.0\.0\.1:(\d+)/.exec(address ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}

export interface ServicePlan {
  /** The services that the worker needs. */
  readonly backing: readonly ServiceSpec[];
  /** Connects once `temporal` resolves. */
  readonly worker: (temporal: Promise<unknown>) => ServiceSpec;
  readonly addresses: ServiceAddresses;
}

interface Means {
  readonly environment: Environment;
  readonly engines: Engines;
  readonly home: Home;
  readonly ports: Readonly<Record<PortName, number>>;
  readonly workerScript: string;
}

/** Plans the worker and those services for which the environment has no address. */
export function planServices(means: Means): ServicePlan {
  const { environment, engines, home, ports, workerScript } = means;
  const { temporal, milvus } = engines;
  const namespace = environment.TEMPORAL_NAMESPACE;
  const temporalAddress = environment.TEMPORAL_ADDRESS ?? `127.0.0.1:${ports.temporal}`;
  const milvusAddress = environment.MILVUS_ADDRESS ?? `127.0.0.1:${ports.milvus}`;
  const uiAddress = temporal ? `http://127.0.0.1:${ports.ui}` : null;
  return {
    backing: [
      ...(temporal
        ? [
            temporalServer({
              executable: temporal.path,
              home,
              namespace,
              port: ports.temporal,
              uiPort: ports.ui,
              historyDays: environment.TURNWISE_HISTORY_DAYS,
            }),
          ]
        : []),
      ...(milvus ? [milvusLite({ engine: milvus, home, port: ports.milvus })] : []),
    ],
    worker: (temporal) =>
      workerProcess(
        {
          script: workerScript,
          home,
          temporalAddress,
          milvusAddress,
          isEmbedded: engines.temporal !== undefined,
        },
        temporal,
      ),
    addresses: { temporalAddress, uiAddress, milvusAddress },
  };
}

interface WorkerPlan {
  readonly script: string;
  readonly home: Home;
  readonly temporalAddress: string;
  readonly milvusAddress: string;
  /** Whether the Temporal server is. */
  readonly isEmbedded: boolean;
}

/**
 * A worker on the embedded services. It loads its program while they start, and sends a message when it polls.
 * @param temporal - resolves once the server runs
 */
function workerProcess(plan: WorkerPlan, temporal: Promise<unknown>): ServiceSpec {
  const { script, home, temporalAddress, milvusAddress, isEmbedded } = plan;
  return {
    name: 'worker',
    command: process.execPath,
    args: [...workerFlags, script],
    env: {
      ...process.env,
      TURNWISE_HOME: home.path,
      TEMPORAL_ADDRESS: temporalAddress,
      MILVUS_ADDRESS: milvusAddress,
    },
    logPath: home.logPath('worker'),
    commandMark: script,
    channel: 'ipc',
    startTimeoutMs: 120_000,
    // Calls in flight may complete, since they are paid for; each has its own time limit.
    stopGraceMs: 60 * 60_000,
    ready: (child, signal) =>
      new Promise((resolve, reject) => {
        // Never removed, since messages without a listener would pile up in the channel.
        child.on('message', (message) => {
          if (workerReadySchema.safeParse(message).success) resolve();
        });
        const begin = (): void => {
          const serve: z.infer<typeof workerServeSchema> = {
            kind: 'serve',
            temporal: isEmbedded ? 'embedded' : 'named',
          };
          if (child.connected) child.send(serve);
        };
        // The start of the server reports its own failure.
        temporal.then(begin).catch(() => undefined);
        signal.addEventListener('abort', () => reject(new Error('not ready')), { once: true });
      }),
  };
}
