/** Failures that cross the activity boundary. `retry`: could the same request succeed later? */
export const failureTypes = {
  /** 429. */
  ModelRateLimited: { retry: true },
  /** The call was not sent: the rate limit does not allow it soon, or the account has no credit. */
  ModelDeferred: { retry: true },
  /** 408, 409, 5xx, a lost connection or a time-out. */
  ModelUnavailable: { retry: true },
  /** The reply is not a chat completion: HTML, invalid JSON, or no content. */
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
  /** There is no store of that name, or it is damaged. */
  StoreMissing: { retry: false },
  /** The store was rebuilt from other papers after the run began. */
  StoreChanged: { retry: false },
  /** The run's workflow does not answer a request for its budget at the moment. */
  RunUnreachable: { retry: true },
  /** A replay needs a reply that the replayed run does not have. */
  ReplyMissing: { retry: false },
  /** The input of an activity has names that are none. */
  InvalidInput: { retry: false },
  /** The worker does not have the home of the workflow, or no more. */
  HomeMissing: { retry: true },
  /** The run's files cannot be read or written at the moment. */
  RunFilesUnavailable: { retry: true },
  /** The run's files exist, but are invalid. */
  InvalidRun: { retry: false },
  /** The files of an ingestion are missing or damaged. */
  IngestionLost: { retry: false },
  /** A PDF that is encrypted, truncated, no PDF at all, or without text. */
  UnreadablePdf: { retry: false },
  /** Data to be imported is missing, or has another shape. */
  UnreadableImport: { retry: false },
  /** A parser of papers that was asked for has no address, or is not built in. */
  ParserMissing: { retry: false },
  /** The server of a parser is busy or cannot be reached. */
  ParserUnavailable: { retry: true },
  /** A parser refuses a PDF, or what it says of it cannot be used: the same PDF would fail again. */
  ParserFailed: { retry: false },
  /** A PDF has the title of another paper, and the ingestion shall fail then. */
  TitleConflict: { retry: false },
  /** The embedding endpoint failed, and may succeed later. */
  EmbedderUnavailable: { retry: true },
  /** The worker has no program for graph queries, or cannot start it. */
  GraphProgramMissing: { retry: false },
  /** The program failed, timed out or wrote invalid output: the same query would fail again. */
  GraphProgramFailed: { retry: false },
  /** The program was killed, or asks for a retry. */
  GraphProgramUnavailable: { retry: true },
} as const;

export type FailureType = keyof typeof failureTypes;

export function isFailureType(value: unknown): value is FailureType {
  return typeof value === 'string' && Object.hasOwn(failureTypes, value);
}

/** Whether the same request could succeed later. */
export const isRetryable = (type: FailureType): boolean => failureTypes[type].retry;
