import { z } from 'zod';
import { embedderSchema, miniLmName } from './embedders.js';
import { modelApis } from './model-api.js';

const portRule = 'must be a port, a whole number from 1 to 65535';
const port = z.coerce.number(portRule).int(portRule).min(1, portRule).max(65535, portRule);

const processesRule = 'must be a whole number from 1 to 64';

const serverUrl = z.url({
  protocol: /^https?$/,
  error: 'must be the URL of a server, such as http://127.0.0.1:8070',
});

const addressRule = 'must be HOST:PORT, such as 127.0.0.1:9464';

/** Where a worker listens. */
const listenAddress = z
  .string()
  .regex(/^([\w.-]+|\[[\da-fA-F:]+\]):\d+$/, addressRule)
  .refine((text) => addressOf(text).port >= 1 && addressOf(text).port <= 65535, addressRule);

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** @param text - as `listenAddress` has it */
export function addressOf(text: string): Address {
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, colon).replace(/^\[|\]$/g, '');
  return { host, port: Number(text.slice(colon + 1)) };
}

/** Bucket names as Amazon allows them. A prefix is made of folder names. */
const s3Location = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.=-]+)*\/?$/;

const storageLocation = z
  .string()
  .min(1)
  .refine((place) => !/^\w+:\/\//.test(place) || s3Location.test(place), {
    error: 'must be a folder, or s3://BUCKET/PREFIX in letters, digits, `.`, `_`, `=` and `-`',
  });

/**
 * Every environment variable that turnwise reads. The client turns `.env` and `turnwise.yaml` into these before it starts a
 * process, so that workers read only environment variables.
 */
export const environmentSchema = z.object({
  /** Runs, stores and the state of embedded services. */
  TURNWISE_HOME: z.string().min(1).default('.turnwise'),
  /** Where runs, stores and databases are kept: a folder, or `s3://bucket/prefix`. Default: TURNWISE_HOME. */
  TURNWISE_STORAGE: storageLocation.optional(),
  /** Downloaded programs, shared by all checkouts. Default: the user's cache folder. */
  TURNWISE_CACHE: z.string().min(1).optional(),
  /** An installed `temporal` executable, preferred to all others. */
  TURNWISE_TEMPORAL_CLI: z.string().min(1).optional(),
  TURNWISE_TASK_QUEUE: z.string().min(1).default('turnwise'),
  /** Ports of the embedded services. Free ports are used if unset. */
  TURNWISE_TEMPORAL_PORT: port.optional(),
  TURNWISE_UI_PORT: port.optional(),
  TURNWISE_MILVUS_PORT: port.optional(),
  /** How long the embedded Temporal server keeps the history of a workflow that has closed. */
  TURNWISE_HISTORY_DAYS: z.coerce
    .number()
    .int('must be a whole number of days')
    .min(1, 'must be at least 1 day')
    .max(3650, 'must be at most 3650 days')
    .default(3),
  /** `hashing`, `minilm` or `openai:MODEL`. */
  TURNWISE_EMBEDDER: embedderSchema.default(miniLmName),
  /** A model of pictures and texts, such as CLIP, that vLLM serves. Unset: stores have no picture collection. */
  TURNWISE_PICTURE_EMBEDDER: z.string().min(1).optional(),
  /** Where it is served. Default: OPENAI_BASE_URL. */
  TURNWISE_PICTURE_EMBEDDER_URL: z
    .url('must be a URL, such as http://127.0.0.1:8001/v1')
    .optional(),
  /** SQL statements that a worker runs at once. Default: as many as it has cores, from 2 to 8. */
  TURNWISE_SQL_PROCESSES: z.coerce
    .number(processesRule)
    .int(processesRule)
    .min(1, processesRule)
    .max(64, processesRule)
    .optional(),
  /** Seconds without another call after which a batch is sent, and after which it is looked at first. */
  TURNWISE_BATCH_PAUSE: z.coerce
    .number('must be a number of seconds')
    .min(0.1, 'must be at least 0.1 seconds')
    .max(3600, 'must be at most 3600 seconds')
    .default(60),
  /** Modules of the user's own, separated by commas, for commands without --plugin (docs/how-to/plugins.md). */
  TURNWISE_PLUGINS: z.string().min(1).optional(),
  /** A shell command that answers queries of a graph index (docs/how-to/methods.md). */
  TURNWISE_GRAPHRAG_COMMAND: z.string().min(1).optional(),
  /** Servers that read PDFs for `store add --parser` (docs/how-to/stores.md). */
  TURNWISE_GROBID_URL: serverUrl.optional(),
  TURNWISE_DOCLING_URL: serverUrl.optional(),
  TURNWISE_DOCLING_KEY: z.string().min(1).optional(),
  TURNWISE_MINERU_URL: serverUrl.optional(),
  /** Where each worker serves its metrics for Prometheus, at `/metrics`. */
  TURNWISE_METRICS: listenAddress.optional(),
  /** Where it sends them instead, by OpenTelemetry's protocol. */
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** Where each worker answers `/healthz` and `/readyz`. */
  TURNWISE_PROBES: listenAddress.optional(),
  /** The log of a worker: lines to read, or one JSON object a line. */
  TURNWISE_LOG: z.enum(['text', 'json']).default('text'),
  TURNWISE_LOG_LEVEL: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('INFO'),
  /** Is told when a run waits, is held, reaches its budget or ends. It may hold a secret. */
  TURNWISE_WEBHOOK: z
    .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
    .optional(),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  /** Where the UI of that server is, for links. */
  TURNWISE_TEMPORAL_UI: z.url({ protocol: /^https?$/ }).optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  /** How that server is spoken to, as Temporal's own tools have it (`temporal/server-settings.ts`). */
  TEMPORAL_PROFILE: z.string().min(1).optional(),
  TEMPORAL_CONFIG_FILE: z.string().min(1).optional(),
  TEMPORAL_API_KEY: z.string().min(1).optional(),
  TEMPORAL_TLS: z.enum(['true', 'false', '1', '0']).optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().min(1).optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().min(1).optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().min(1).optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().min(1).optional(),
  /** Makes a worker a version of this deployment; named as Temporal's worker controller for Kubernetes sets them. */
  TEMPORAL_DEPLOYMENT_NAME: z.string().min(1).optional(),
  /** Default: the build of the workflows. */
  TEMPORAL_WORKER_BUILD_ID: z.string().min(1).optional(),
  /** Encrypts what Temporal stores (`temporal/payload-codec.ts`): the key, then those of before, separated by commas. */
  TURNWISE_PAYLOAD_KEY: z
    .string()
    .regex(/^\s*(?:[0-9a-f]{64}|[\w+/-]{43}=?)(?:\s*,\s*(?:[0-9a-f]{64}|[\w+/-]{43}=?))*\s*$/i, {
      error: 'must be 32 bytes in base64 or hex, such as `openssl rand -base64 32` makes',
    })
    .optional(),
  MILVUS_ADDRESS: z.string().min(1).optional(),
  MILVUS_TOKEN: z.string().min(1).optional(),
  OPENAI_API_KEY: z.string().min(1).optional(),
  OPENAI_BASE_URL: z.url('must be a URL, such as http://127.0.0.1:8000/v1').optional(),
  ANTHROPIC_API_KEY: z.string().min(1).optional(),
  ANTHROPIC_BASE_URL: serverUrl.optional(),
  GEMINI_API_KEY: z.string().min(1).optional(),
  GEMINI_BASE_URL: serverUrl.optional(),
  /** The API of models for which neither a flag nor `turnwise.yaml` names one. */
  TURNWISE_API: z.enum(modelApis).default('chat'),
});
export type Environment = Readonly<z.infer<typeof environmentSchema>>;

/** Where runs are kept (`storage/open-storage.ts`). */
export const storageOf = ({
  TURNWISE_STORAGE,
  TURNWISE_HOME,
}: Pick<Environment, 'TURNWISE_STORAGE' | 'TURNWISE_HOME'>): string =>
  TURNWISE_STORAGE ?? TURNWISE_HOME;

export const isS3 = (location: string): boolean => location.startsWith('s3://');

/** Without empty variables: `NAME=` in a shell or in a container's environment file means unset. */
export const setVariables = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
