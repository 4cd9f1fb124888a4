import { z } from 'zod';

/** The APIs in which models are asked: what requests and replies look like. */
export const modelApis = ['chat', 'responses', 'anthropic', 'gemini'] as const;
export type ModelApi = (typeof modelApis)[number];

/** The body of a request, exactly as it is sent. */
export type RequestBody = Readonly<Record<string, unknown>>;

interface ApiFacts {
  /** For people. */
  readonly title: string;
  /** The variables that hold its address and its key. */
  readonly addressVariable: 'OPENAI_BASE_URL' | 'ANTHROPIC_BASE_URL' | 'GEMINI_BASE_URL';
  readonly keyVariable: 'OPENAI_API_KEY' | 'ANTHROPIC_API_KEY' | 'GEMINI_API_KEY';
  /** The vendor's own address. */
  readonly vendorUrl: string;
  /** What follows the address in a call. */
  readonly path: string;
  /** What follows the address in a request for the list of models. */
  readonly modelsPath: string;
  /** Whether its requests have a field for a seed. */
  readonly takesSeed: boolean;
  /** What a reply is, with its article. */
  readonly reply: string;
}

const openAi = {
  addressVariable: 'OPENAI_BASE_URL',
  keyVariable: 'OPENAI_API_KEY',
  vendorUrl: 'https://api.openai.com/v1',
  modelsPath: '/models',
} as const;

export const apiFacts: Readonly<Record<ModelApi, ApiFacts>> = {
  chat: {
    ...openAi,
    title: 'chat completions',
    path: '/chat/completions',
    takesSeed: true,
    reply: 'a chat completion',
  },
  responses: {
    ...openAi,
    title: 'the Responses API',
    path: '/responses',
    takesSeed: false,
    reply: 'a response of the Responses API',
  },
  anthropic: {
    title: "Anthropic's Messages API",
    addressVariable: 'ANTHROPIC_BASE_URL',
    keyVariable: 'ANTHROPIC_API_KEY',
    vendorUrl: 'https://api.anthropic.com',
    path: '/v1/messages',
    modelsPath: '/v1/models',
    takesSeed: false,
    reply: 'a message of the Messages API',
  },
  gemini: {
    title: "Gemini's API",
    addressVariable: 'GEMINI_BASE_URL',
    keyVariable: 'GEMINI_API_KEY',
    vendorUrl: 'https://generativelanguage.googleapis.com',
    path: '/v1beta/models',
    modelsPath: '/v1beta/models',
    takesSeed: true,
    reply: 'a reply of generateContent',
  },
};

/** Where an API is asked: the address of the settings, else the vendor's own. */
export const addressOf = (
  environment: Readonly<Partial<Record<ApiFacts['addressVariable'], string | undefined>>>,
  api: ModelApi,
): string => environment[apiFacts[api].addressVariable] ?? apiFacts[api].vendorUrl;

/** The address of every API, by the variable that holds it. */
export const addressesOf = (
  environment: Parameters<typeof addressOf>[0],
): Readonly<Partial<Record<ApiFacts['addressVariable'], string>>> =>
  Object.fromEntries(
    modelApis.map((api) => [apiFacts[api].addressVariable, addressOf(environment, api)]),
  );

/** The keys of the settings. No message may repeat them. */
export const keysIn = (
  environment: Readonly<Partial<Record<ApiFacts['keyVariable'], string | undefined>>>,
): readonly string[] => [
  ...new Set(modelApis.flatMap((api) => environment[apiFacts[api].keyVariable] ?? [])),
];

/** The headers by which a request proves who sends it. Without a key, a server of one's own may still want a token. */
export function keyHeaders(
  api: ModelApi,
  key: string | undefined,
): Readonly<Record<string, string>> {
  switch (api) {
    case 'chat':
    case 'responses':
      return { authorization: `Bearer ${key ?? 'none'}` };
    case 'anthropic':
      return { 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) };
    case 'gemini':
      return key === undefined ? {} : { 'x-goog-api-key': key };
  }
}

/** An address with a path behind its own. User name and query are kept. @param path - may have a query of its own */
export function urlUnder(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  const [pathname = '', query] = path.split('?');
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${pathname}`;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url;
}

const api = z.enum(modelApis);

/** What asking a model endpoint for its models came to. It never holds the key. */
const modelEndpointSchema = z.discriminatedUnion('kind', [
  /** Nothing is configured. */
  z.object({ kind: z.literal('unset'), api }),
  z.object({ kind: z.literal('answered'), api, url: z.string(), httpStatus: z.int() }),
  z.object({ kind: z.literal('unreachable'), api, url: z.string(), reason: z.string() }),
]);
export type ModelEndpoint = Readonly<z.infer<typeof modelEndpointSchema>>;

/** Those that are configured; that of chat completions if none is. */
export const modelEndpointsSchema = z.object({
  /** A worker makes the calls, with the key that it has. `here`: no worker runs, and the settings of the command count. */
  askedBy: z.enum(['worker', 'here']),
  endpoints: z.array(modelEndpointSchema).readonly(),
});
export type AskedEndpoints = Readonly<z.infer<typeof modelEndpointsSchema>>;
