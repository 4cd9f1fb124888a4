import type { FailureType } from '../failure-type.js';
import { jsonIn } from '../formats/json.js';

/** What a reply with an error says, whatever its API. */
export interface ProviderError {
  readonly status: number;
  /** Codes and types, as the provider spells them. */
  readonly codes: readonly string[];
  /** The provider's message; the title of a web page. */
  readonly words: string;
  /** Whether it is a web page, which a firewall, a proxy or a website sends, and no API. */
  readonly isPage: boolean;
}

/** The facts of a refused request that the meaning of its refusal depends on. */
interface RefusedRequest {
  /** Whether there are pictures among the messages. */
  readonly images: boolean;
  /** Whether the model was offered tools. */
  readonly tools: boolean;
  /** Whether none of the account's tokens of this minute were used, as the headers of the refusal say. */
  readonly hasWholeLimit?: boolean;
}

export type Refusal = Extract<
  FailureType,
  | 'ContextOverflow'
  | 'ModelModerated'
  | 'ModelQuotaSpent'
  | 'ModelRateLimited'
  | 'ModelRefusedKey'
  | 'ModelRejectedRequest'
  | 'ModelRequestTooLarge'
  | 'ModelUnavailable'
  | 'ModelUnknown'
>;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How deep a body is read. */
const deepest = 6;
const page = /^\s*(<\?xml[^>]*>\s*)?<(!doctype|html|head|body|center|title|h1)\b/i;

/** @param body - JSON of any shape, or the text of a body that is none */
export function readProviderError(status: number, body: unknown): ProviderError {
  const isPage = typeof body === 'string' && page.test(body);
  return {
    status,
    codes: [...new Set(codesIn(body))],
    words: isPage ? titleOf(body) : wordsOf(body),
    isPage,
  };
}

const titleOf = (html: string): string =>
  /<(title|h1)[^>]*>([^<]*)/i.exec(html)?.[2]?.replace(/\s+/g, ' ').trim() ?? '';

/** Those of a nested error come first, and Google's name of a code before its number. */
const codeFields = ['status', 'code', 'type', 'error_type', 'error_code', '__type', 'reason'];
const nestedFields = [
  ...['error', 'errors', 'innererror', 'inner_error', 'details', 'detail', 'message'],
  ...['metadata', 'raw', 'fault'],
];
/** A text that stands where a message usually does, such as `model_not_found`. */
const bareCode = /^[a-z]+(_[a-z]+)+$/i;

function codesIn(value: unknown, depth = 0): readonly string[] {
  if (depth > deepest) return [];
  if (typeof value === 'string') {
    const json = objectIn(value);
    return json === undefined ? [] : codesIn(json, depth + 1);
  }
  if (Array.isArray(value)) return value.flatMap((one) => codesIn(one, depth + 1));
  if (!isFields(value)) return [];
  const own = codeFields.flatMap((name) => {
    const code = value[name];
    return (typeof code === 'string' && code !== 'error') || typeof code === 'number'
      ? [String(code)]
      : [];
  });
  const bare = typeof value.error === 'string' && bareCode.test(value.error) ? [value.error] : [];
  return [...nestedFields.flatMap((name) => codesIn(value[name], depth + 1)), ...own, ...bare];
}

/** A JSON object or array in a text: proxies pass on the error of a provider in this way. */
function objectIn(text: string): unknown {
  const json = /^\s*[[{]/.test(text) ? jsonIn(text) : undefined;
  return typeof json === 'object' && json !== null ? json : undefined;
}

const wordFields = [
  ...['message', 'Message', 'error_description', 'error_message', 'error', 'errors', 'detail'],
  ...['msg', 'faultstring', 'fault', 'title'],
];

/** The message, at any place in the body. Never what the body repeats of the request, such as `input` or `flagged_input`. */
function wordsOf(value: unknown, depth = 0): string {
  if (depth > deepest) return '';
  if (typeof value === 'string') {
    const json = objectIn(value);
    return json === undefined ? value.trim() : wordsOf(json, depth + 1);
  }
  if (Array.isArray(value)) {
    const all = value.map((one) => wordsOf(one, depth + 1)).filter((words) => words !== '');
    return [...new Set(all)].join('; ');
  }
  if (!isFields(value)) return '';
  const { error, loc, msg, metadata } = value;
  // FastAPI: the place in the request, and what is wrong there.
  if (Array.isArray(loc) && typeof msg === 'string') return `${loc.join('.')}: ${msg}`;
  const said = [isFields(error) ? error : '', ...wordFields.map((name) => value[name])]
    .map((one) => wordsOf(one, depth + 1))
    .find((words) => words !== '');
  return [said ?? '', upstreamWords(metadata, depth), lengths(value)]
    .filter((words) => words !== '')
    .join(' ');
}

/** OpenRouter: what the provider said, who it is, and why a moderation refused. */
function upstreamWords(metadata: unknown, depth: number): string {
  if (!isFields(metadata)) return '';
  const { raw, provider_name: provider, reasons } = metadata;
  const parts = [
    wordsOf(raw, depth + 1),
    Array.isArray(reasons) && reasons.length > 0 ? `(${reasons.join(', ')})` : '',
    typeof provider === 'string' ? `(${provider})` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** llama.cpp has its numbers in fields. */
const lengths = ({ n_prompt_tokens: prompt, n_ctx: context }: Fields): string =>
  typeof prompt === 'number' && typeof context === 'number'
    ? `(${prompt} tokens of ${context})`
    : '';

/** Fields of what is a reply, in all APIs. */
const replyFields = ['choices', 'output', 'content', 'candidates', 'data', 'promptFeedback'];

/**
 * The status that an error under a success status would have had if it had come as an error; undefined for what is no error.
 * OpenRouter, gateways, and all streams report late failures so.
 */
export function lateStatus(body: unknown): number | undefined {
  if (!isFields(body)) return undefined;
  const isReply = replyFields.some((name) => {
    const value = body[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
  });
  const { error, errors, detail, type, object } = body;
  const isError = [error, errors, detail].some(
    (one) => one !== undefined && one !== null && one !== false && one !== '',
  );
  if (isReply || !(isError || type === 'error' || object === 'error')) return undefined;
  const { codes } = readProviderError(200, body);
  const stated = codes.map(Number).find((code) => code >= 400 && code < 600);
  return (
    stated ?? namedStatuses.find(([name]) => codes.some((code) => name.test(code)))?.[1] ?? 500
  );
}

const namedStatuses: readonly (readonly [RegExp, number])[] = [
  [/quota|billing|credit|balance|payment/i, 402],
  [/rate_?limit|too_?many|exhausted|throttled|throttling/i, 429],
  [/overloaded|unavailable/i, 503],
  [/api_?key|authentication|unauthorized|unauthenticated/i, 401],
  [/permission|forbidden/i, 403],
  [/not_?found/i, 404],
  [/invalid|bad_?request|validation|context_length|too_long|content_filter|policy/i, 400],
];

interface Rule {
  readonly type: Refusal;
  /** @defaultValue any but those of a server's failure (5xx) */
  readonly status?: (status: number) => boolean;
  readonly codes?: RegExp;
  readonly words?: RegExp;
  readonly when?: (error: ProviderError, request: RefusedRequest) => boolean;
}

const isAny = (): boolean => true;
const isOf =
  (...statuses: readonly number[]) =>
  (status: number): boolean =>
    statuses.includes(status);
const isOfServer = (status: number): boolean => status >= 500;

/** The first rule that fits decides. A rule with codes or words fits if one of them does. */
const rules: readonly Rule[] = [
  { type: 'ModelUnknown', status: (status) => status >= 300 && status < 400, when: isAny },
  {
    type: 'ModelUnavailable',
    status: (status) => status === 403 || status === 406 || isOfServer(status),
    when: ({ isPage }) => isPage,
  },
  { type: 'ModelQuotaSpent', status: isOf(402), when: isAny },
  {
    type: 'ModelQuotaSpent',
    codes:
      /^(insufficient_quota|billing_hard_limit_reached|billing_not_active|insufficient_(balance|credits|funds)|exceeded_current_quota_error)$/i,
    words:
      /credit balance is too low|insufficient (account )?(balance|credits?|funds)|used all available credits|out of credits|requires more credits|(reach|exceed|hit)\w*[^.]{0,40}spend(ing)? limit/i,
  },
  { type: 'ModelRateLimited', codes: /^(Throttling\w*|TooManyRequests\w*)$/ },
  {
    type: 'ModelModerated',
    status: (status) => status >= 400 && status < 500 && status !== 401 && status !== 429,
    codes:
      /^(content_filter(ed)?|ResponsibleAIPolicyViolation|content_policy_violation|moderation\w*|data_?inspection_?failed|prompt_blocked|PROHIBITED_CONTENT|SAFETY)$/i,
    words:
      /(prompt|input|content|messages?|request) (was|were|is|has been|have been) (flagged|blocked)|content management policy|requires moderation|content exists risk|(content|prompt|input|request) (may )?violates? (our |the )?(usage|content|safety)|failed check: SAFETY|inappropriate content|blocked by (our |the )?(safety|content|moderation)|safety (system|filter)s? (rejected|blocked)/i,
  },
  {
    type: 'ModelRefusedKey',
    codes:
      /^(API_KEY_INVALID|invalid_api_key|authentication_error|organization_restricted|account_deactivated|unsupported_country_region_territory)$/,
    words:
      /(incorrect|invalid|missing|no) api[ -]key|api[ -]key (is )?(not valid|invalid|expired|missing)|location is not supported|country, region,? or territory/i,
  },
  {
    type: 'ModelUnknown',
    status: (status) => status >= 400 && status < 500 && status !== 401 && status !== 429,
    codes:
      /^(model_not_(found|available|exist)|model_decommissioned|invalid_model|unknown_model|DeploymentNotFound|ModelNotFound\w*)$/i,
    words:
      /\bmodels?\b[^.\n]{0,120}?\b(does not exist|not exist|not found|not deployed|been (deprecated|decommissioned|retired))|(unknown|no such) model\b|invalid model (name|id\b|identifier)|not a valid model|model (identifier|name|id) is invalid/i,
  },
  { type: 'ModelRefusedKey', status: isOf(401, 403, 407), when: isAny },
  {
    type: 'ModelRequestTooLarge',
    codes: /^request_too_large$/,
    when: isLargerThanLimit,
  },
  {
    type: 'ContextOverflow',
    status: (status) => status !== 429,
    codes:
      /^(context_length_exceeded|exceed_context_size_error|string_above_max_length|model_max_prompt_tokens_exceeded|ContextWindowExceededError)$/,
    words: new RegExp(
      [
        // Most servers, in many forms.
        "(maximum|model's|available|loaded with|exceed\\w*) (the )?(maximum )?context (length|size|limit|window)",
        'maximum (model length|prompt length)|(longer|greater) than the (model|maximum|context)|(prompt|input|context) (is )?too long',
        // Gemini, Cohere, Groq, Ollama, Moonshot, LiteLLM, TGI, MiniMax, Qwen, Zhipu, LM Studio.
        'exceeds the maximum number of tokens|too many tokens|reduce the length of (the|your) (messages|prompt|input)',
        'input length exceeds|exceeded model token limit|ContextWindowExceeded|max_new_tokens. must be <=',
        'context window exceeds|range of input length should be|prompt exceeds max length|context the overflows',
      ].join('|'),
      'i',
    ),
  },
  { type: 'ContextOverflow', status: isOf(413), when: isAny },
  {
    type: 'ModelUnavailable',
    status: isAny,
    codes:
      /^((engine_|server_|model_)?overloaded(_error)?|ModelNotReady\w*|ServiceUnavailable\w*|UNAVAILABLE)$/i,
    words: /(engine|model|server) is (currently |temporarily )?(overloaded|loading)|loading model/i,
  },
  { type: 'ModelRateLimited', codes: /^rate_limit_(exceeded|error)$/ },
  { type: 'ModelRateLimited', status: isOf(429), when: isAny },
  {
    type: 'ModelRejectedRequest',
    status: isOf(500),
    codes: /^(invalid_request_error|BadRequestError|ValidationException)$/,
    words: /litellm\.(BadRequest|UnsupportedParams)Error|roles must alternate|jinja/i,
  },
  {
    type: 'ModelUnavailable',
    status: (status) => isOf(408, 409, 424, 425, 498, 499)(status) || isOfServer(status),
    when: isAny,
  },
  {
    type: 'ModelUnknown',
    status: isOf(404, 405, 410),
    // OpenRouter has a 404 for a known model that takes no pictures.
    when: (error, request) => !refusesPictures(error, request) && !refusesTools(error, request),
  },
];

/** What an error means for the request, decided by its status, its codes and its words. */
export function classifyError(error: ProviderError, request: RefusedRequest): Refusal {
  const fitting = rules.find(({ status = (one) => !isOfServer(one), codes, words, when }) => {
    if (!status(error.status)) return false;
    return (
      (codes !== undefined && error.codes.some((code) => codes.test(code))) ||
      (words?.test(error.words) ?? false) ||
      (when?.(error, request) ?? false)
    );
  });
  return fitting?.type ?? 'ModelRejectedRequest';
}

// Refused pictures and tools have no code, and are recognised by the provider's message.
export const refusesPictures = ({ words }: ProviderError, { images }: RefusedRequest): boolean =>
  images && /image|vision|multi-?modal/i.test(words);
export const refusesTools = ({ words }: ProviderError, { tools }: RefusedRequest): boolean =>
  tools && /\btools?\b|function.call/i.test(words);

/**
 * Whether the request alone exceeds a limit, so that no wait makes room for it: "Limit 30000, Requested 37313", but not
 * "Limit 30000, Used 29000, Requested 3000". Anthropic has the same words for both.
 */
function isLargerThanLimit({ words }: ProviderError, { hasWholeLimit }: RefusedRequest): boolean {
  const [, limit, requested] =
    /\bLimit:? ([\d,_]+) (?:Used:? [\d,_]+ )?Requested:? ([\d,_]+)/i.exec(words) ?? [];
  if (limit !== undefined && requested !== undefined) return numberIn(requested) > numberIn(limit);
  if (/request (is )?too large (for|on)/i.test(words)) return true;
  return hasWholeLimit === true && /this request would exceed/i.test(words);
}

const numberIn = (text: string): number => Number(text.replace(/[,_]/g, ''));
