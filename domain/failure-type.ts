import { z } from 'zod';

/**
 * Failures that cross the activity boundary.
 *
 * - `retry`: could the same request succeed later?
 * - `outside`: does something fail that the question has no part in, so that others fail of it as well, and the question can
 *   go on when that is mended?
 * - `guarded`: a guard of the worker decides whether the dependency fails (`worker/adapters/guard.ts`), and defers calls while it does.
 *   A failure that comes through concerns this request alone.
 */
export const failureTypes = {
  /** 429. */
  ModelRateLimited: { retry: true, outside: true, guarded: true },
  /** The call was not sent: the rate limit does not allow it soon, or the account has no credit. */
  ModelDeferred: { retry: true, outside: true },
  /** 408, 409, 5xx, a lost connection or a time-out. */
  ModelUnavailable: { retry: true, outside: true, guarded: true },
  /** The reply is not a chat completion: HTML, invalid JSON, or no content. */
  ModelRepliedNonsense: { retry: true, outside: true, guarded: true },
  /** 401 or 403. */
  ModelRefusedKey: { retry: false, outside: true, guarded: true },
  /** 404 or a redirection: there is no such model or address, and no wait makes one. */
  ModelUnknown: { retry: false, outside: false },
  /** 400 or 422: the same request would be refused again. */
  ModelRejectedRequest: { retry: false, outside: false },
  /** The request alone is larger than a limit of the account: no wait makes room for it. */
  ModelRequestTooLarge: { retry: false, outside: false },
  /** The provider's moderation refuses the request. */
  ModelModerated: { retry: false, outside: false },
  /** The account has no credit left. */
  ModelQuotaSpent: { retry: false, outside: true, guarded: true },
  /** The messages do not fit the model's context. */
  ContextOverflow: { retry: false, outside: false },
  /** DuckDB or Milvus cannot be reached, or is starting. */
  StoreUnavailable: { retry: true, outside: true, guarded: true },
  /** There is no store of that name, or it is damaged. */
  StoreMissing: { retry: false, outside: true },
  /** The store was rebuilt from other papers after the run began. */
  StoreChanged: { retry: false, outside: false },
  /** The run's workflow does not answer a request for its budget at the moment. */
  RunUnreachable: { retry: true, outside: true },
  /** A replay needs a reply that the replayed run does not have. */
  ReplyMissing: { retry: false, outside: false },
  /** The input of an activity has names that are none. */
  InvalidInput: { retry: false, outside: false },
  /** The worker does not have the home of the workflow, or no more. */
  HomeMissing: { retry: true, outside: true },
  /** The run's files cannot be read or written at the moment. */
  RunFilesUnavailable: { retry: true, outside: true },
  /** The run's files exist, but are invalid. */
  InvalidRun: { retry: false, outside: false },
  /** The files of an ingestion are missing or damaged. */
  IngestionLost: { retry: false, outside: false },
  /** A PDF that is encrypted, truncated, no PDF at all, or without text. */
  UnreadablePdf: { retry: false, outside: false },
  /** Data to be imported is missing, or has another shape. */
  UnreadableImport: { retry: false, outside: false },
  /** A parser of papers that was asked for has no address, or is not built in. */
  ParserMissing: { retry: false, outside: false },
  /** The server of a parser is busy or cannot be reached. */
  ParserUnavailable: { retry: true, outside: true },
  /** A parser refuses a PDF, or what it says of it cannot be used: the same PDF would fail again. */
  ParserFailed: { retry: false, outside: false },
  /** A PDF has the title of another paper, and the ingestion shall fail then. */
  TitleConflict: { retry: false, outside: false },
  /** The worker cannot embed with the embedder that was asked for. */
  EmbedderMissing: { retry: false, outside: true },
  /** The embedding endpoint failed, and may succeed later. */
  EmbedderUnavailable: { retry: true, outside: true },
  /** The worker has no program for graph queries, or cannot start it. */
  GraphProgramMissing: { retry: false, outside: true },
  /** The program failed, timed out or wrote invalid output: the same query would fail again. */
  GraphProgramFailed: { retry: false, outside: false },
  /** The program was killed, or asks for a retry. */
  GraphProgramUnavailable: { retry: true, outside: true },
  /** The agent of the user's ended, wrote no JSON, was too slow, or asked for something else when it was told the same. */
  AgentProgramFailed: { retry: false, outside: false },
  /** It was killed. */
  AgentProgramStopped: { retry: true, outside: false },
  /** The code of a plugin is not in the run's files, or is other code. */
  PluginMissing: { retry: false, outside: true },
  /** The thread of a plugin ended while it was called: another call may have ended it. */
  PluginStopped: { retry: true, outside: false },
} as const satisfies Readonly<
  Record<string, { readonly retry: boolean; readonly outside: boolean; readonly guarded?: true }>
>;

export type FailureType = keyof typeof failureTypes;

export function isFailureType(value: unknown): value is FailureType {
  return typeof value === 'string' && Object.hasOwn(failureTypes, value);
}

/** Whether the same request could succeed later. */
export const isRetryable = (type: FailureType): boolean => failureTypes[type].retry;

/** Whether something fails that the question has no part in. */
export const isOutside = (type: FailureType): boolean => failureTypes[type].outside;

/** Whether a provider's answer, or its lack, is the failure. */
export const isOfProvider = (type: FailureType): boolean => type.startsWith('Model');

/** Whether a guard of the worker tells failures of the dependency from those of single requests. */
export const isGuarded = (type: FailureType): boolean => 'guarded' in failureTypes[type];

const failureTypeSchema = z.enum(Object.keys(failureTypes) as [FailureType, ...FailureType[]]);

/** `Unknown`: a time-out, or what no activity of ours throws by itself. */
export const failureNameSchema = z.union([failureTypeSchema, z.literal('Unknown')]);
export type FailureName = z.infer<typeof failureNameSchema>;

const unpaid: readonly FailureName[] = [
  'ModelRateLimited',
  'ModelDeferred',
  'ModelRefusedKey',
  'ModelUnknown',
  'ModelRejectedRequest',
  'ModelRequestTooLarge',
  'ModelModerated',
  'ModelQuotaSpent',
  'ContextOverflow',
];

/** Whether a call that failed so costs nothing: it was not sent, or the provider refused it before the model began. */
export const isUnpaid = (failure: FailureName): boolean => unpaid.includes(failure);

/** Whether what fails may work again without anybody's help. */
export const isTransient = (failure: FailureName): boolean =>
  failure === 'Unknown' || isRetryable(failure);

/** A global variable that a worker which encrypts sets in the workflows that it loads (`workflows/failure-converter.ts`). */
export const encodesFailures = '__turnwiseEncodesFailures';
