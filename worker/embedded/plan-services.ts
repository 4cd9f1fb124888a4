import type { ServiceAddresses } from '../../domain/services/services-record.js';
import type { Environment } from '../../domain/settings.js';
import type { Engines } from './engines.js';
import type { Home } from './home.js';
import { milvusLite } from './milvus-lite.js';
import type { PortWish } from './ports.js';
import type { ServiceSpec } from './service.js';
import { temporalServer } from './temporal-server.js';
import { workerProcess } from './worker-process.js';

export type PortName = 'temporal' | 'ui' | 'milvus';

/** Ports that were set, else those of the last time, so that clients and bookmarks find them again. */
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
  /** What the worker needs. */
  readonly backing: readonly ServiceSpec[];
  /** Begins to serve once Temporal is there. */
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

/** Which services run here: those whose address the environment does not give, and the worker. */
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
            }),
          ]
        : []),
      ...(milvus ? [milvusLite({ engine: milvus, home, port: ports.milvus })] : []),
    ],
    worker: (temporal) =>
      workerProcess({ script: workerScript, home, temporalAddress, milvusAddress }, temporal),
    addresses: { temporalAddress, uiAddress, milvusAddress },
  };
}
