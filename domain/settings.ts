import { z } from 'zod';

const portRule = 'must be a port, a whole number from 1 to 65535';
const port = z.coerce.number(portRule).int(portRule).min(1, portRule).max(65535, portRule);

/**
 * Every environment variable turnwise reads, the OpenAI and Temporal names included.
 * `.env` and `turnwise.yaml` are turned into these before a process starts, so workers know only this form.
 */
export const environmentSchema = z.object({
  /** Runs, stores and the state of embedded services. */
  TURNWISE_HOME: z.string().min(1).default('.turnwise'),
  /** Fetched engines, shared by all checkouts. Default: the user's cache folder. */
  TURNWISE_CACHE: z.string().min(1).optional(),
  /** An existing `temporal` executable, tried before any other. */
  TURNWISE_TEMPORAL_CLI: z.string().min(1).optional(),
  TURNWISE_TASK_QUEUE: z.string().min(1).default('turnwise'),
  /** Ports of the embedded services; chosen free when unset. */
  TURNWISE_TEMPORAL_PORT: port.optional(),
  TURNWISE_UI_PORT: port.optional(),
  TURNWISE_MILVUS_PORT: port.optional(),
  /** `hashing` or `openai:MODEL`. */
  TURNWISE_EMBEDDER: z.string().min(1).default('hashing'),
  /** A shell command that answers queries of a graph index (docs/methods.md). */
  TURNWISE_GRAPHRAG_COMMAND: z.string().min(1).optional(),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  MILVUS_ADDRESS: z.string().min(1).optional(),
  MILVUS_TOKEN: z.string().min(1).optional(),
  OPENAI_API_KEY: z.string().min(1).optional(),
  OPENAI_BASE_URL: z.url('must be a URL, such as http://127.0.0.1:8000/v1').optional(),
});
export type Environment = Readonly<z.infer<typeof environmentSchema>>;

/** `NAME=` in a shell, or in a file for containers, means unset. */
export const setVariables = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

export const openAiBaseUrl = 'https://api.openai.com/v1';
