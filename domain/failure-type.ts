/** Failures that cross the activity boundary. `retry`: could the same request succeed later? */
export const failureTypes = {
  /** 429: the provider asks to slow down. */
  ModelRateLimited: { retry: true },
  /** A call that was not sent, since the account has no room for it soon, or no credit. */
  ModelDeferred: { retry: true },
  /** 408, 409, 5xx, a lost connection or a time-out. */
  ModelUnavailable: { retry: true },
  /** The endpoint answered, but not with a chat completion: HTML, broken JSON, no content. */
  ModelRepliedNonsense: { retry: true },
  /** 401 or 403. */
  ModelRefusedKey: { retry: false },
  /** 400, 404, 422: the same request would be refused again. */
  ModelRejectedRequest: { retry: false },
  /** The account has no credit left. */
  ModelQuotaSpent: { retry: false },
  /** The messages do not fit the model's context. */
  ContextOverflow: { retry: false },
  /** DuckDB or Milvus cannot be reached, or is starting. */
  StoreUnavailable: { retry: true },
  /** No store of that name, or one that is damaged. */
  StoreMissing: { retry: false },
  /** It was made anew of other papers since the run began. */
  StoreChanged: { retry: false },
  /** The run's workflow cannot be asked for its budget at the moment. */
  RunUnreachable: { retry: true },
  /** A run that repeats another's replies needs one that was never given. */
  ReplyMissing: { retry: false },
  /** The run's files cannot be read or written at the moment. */
  RunFilesUnavailable: { retry: true },
  /** The run's files are there and make no sense. */
  InvalidRun: { retry: false },
  /** A PDF that is encrypted, truncated, no PDF at all, or without text. */
  UnreadablePdf: { retry: false },
  /** The embedding endpoint failed in a way that may pass. */
  EmbedderUnavailable: { retry: true },
  /** There is no program for graph queries on the worker, or it cannot be started. */
  GraphProgramMissing: { retry: false },
  /** The program failed, took too long or answered nonsense: the same query would end that way again. */
  GraphProgramFailed: { retry: false },
  /** The program was killed, or asks to be tried again. */
  GraphProgramUnavailable: { retry: true },
} as const;

export type FailureType = keyof typeof failureTypes;

export function isFailureType(value: unknown): value is FailureType {
  return typeof value === 'string' && Object.hasOwn(failureTypes, value);
}

/** Whether the same request could succeed later. */
export const isRetryable = (type: FailureType): boolean => failureTypes[type].retry;
