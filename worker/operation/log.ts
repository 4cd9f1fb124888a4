import { DefaultLogger, type LogLevel, type LogMetadata } from '@temporalio/worker';
import type { Environment } from '../../domain/settings.js';

type Entry = Parameters<NonNullable<ConstructorParameters<typeof DefaultLogger>[1]>>[0];

/** What a worker writes to stderr: lines to read, or one JSON object a line. */
export class WorkerLogger extends DefaultLogger {
  /**
   * The executions of which this process has reported anything bad. Temporal tells nobody that a workflow task fails, and to
   * ask about each open workflow would cost more than all else that a worker asks.
   */
  readonly suspects = new Set<string>();
  readonly #isJson: boolean;

  constructor({
    TURNWISE_LOG: format,
    TURNWISE_LOG_LEVEL: level,
  }: Pick<Environment, 'TURNWISE_LOG' | 'TURNWISE_LOG_LEVEL'>) {
    super(level, format === 'json' ? writeJson : undefined);
    this.#isJson = format === 'json';
  }

  override log(level: LogLevel, message: string, meta?: LogMetadata): void {
    const runId: unknown = meta?.['runId'];
    if ((level === 'WARN' || level === 'ERROR') && typeof runId === 'string') {
      this.suspects.add(runId);
    }
    super.log(level, message, meta);
  }

  /** A sentence for whoever looks at the worker. */
  readonly say = (sentence: string): void => {
    if (this.#isJson) this.warn(sentence);
    else process.stderr.write(`turnwise: ${sentence}\n`);
  };
}

function writeJson({ timestampNanos, level, message, meta }: Entry): void {
  process.stderr.write(
    jsonLine(new Date(Number(timestampNanos / 1_000_000n)), level, message, meta),
  );
}

/** One record, with the names of the SDK's fields that say what it is about. @param meta - as the SDK has it */
export function jsonLine(
  time: Date,
  level: LogLevel,
  message: string,
  { taskToken, ...meta }: LogMetadata = {},
): string {
  const record = { time: time.toISOString(), level, message, ...meta };
  return `${JSON.stringify(record, (_, value: unknown) => plain(value))}\n`;
}

/** JSON has neither errors nor 64-bit numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const type = 'type' in value ? value.type : name;
  return { type, message, stack, ...(cause !== undefined && { cause }) };
}
