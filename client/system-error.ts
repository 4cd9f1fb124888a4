interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
}

/** What node: throws when the operating system refuses. */
export const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'syscall' in error && 'code' in error;

/** There is no such file, or what should be its folder is none. */
export const isAbsence = (error: unknown): boolean =>
  isSystemError(error) && ['ENOENT', 'ENOTDIR'].includes(error.code);
