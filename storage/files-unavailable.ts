import { PortFailure } from '../activities/ports/port-failure.js';

/** For what node:fs throws about the files of runs: it may pass. @param what - which could not be done */
export function filesUnavailable(what: string, cause: unknown): PortFailure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PortFailure('RunFilesUnavailable', `${what}: ${reason}`, { cause });
}
