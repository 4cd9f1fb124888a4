import type { ServerTrouble } from '../domain/services.js';
import { UserError } from '../domain/user-error.js';

/** What a command says, and ends with. */
export const troubleError = ({ what, remedy, status }: ServerTrouble): UserError =>
  new UserError(`${what}: ${remedy}`, status);

/** The numbers of gRPC that say what is wrong. */
export const grpcStatus = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

/** The status of a failed call; undefined for any other error. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;
}

/** The client wraps the error of a call in one of its own. */
export const isInvalidArgument = (error: unknown): boolean =>
  [error, error instanceof Error ? error.cause : undefined].some(
    (one) => statusOf(one) === grpcStatus.invalidArgument,
  );

export const isRefusal = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === grpcStatus.permissionDenied || status === grpcStatus.unauthenticated;
};

/** A server that lets nobody in without a key, or not with this one. */
export const refusedKey = (address: string, apiKey: unknown): ServerTrouble =>
  apiKey === undefined
    ? {
        what: `Temporal at ${address} asks for an API key`,
        remedy: 'set TEMPORAL_API_KEY',
        status: 2,
      }
    : {
        what: `Temporal at ${address} refuses the API key`,
        remedy: 'correct TEMPORAL_API_KEY',
        status: 2,
      };
