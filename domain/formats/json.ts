import type { z } from 'zod';

/** Parses JSON. Invalid JSON gives undefined, which no schema of a file or a reply accepts. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * JSON that UTF-8 can hold: U+FFFD in the place of each lone surrogate, which `JSON.stringify` escapes and many readers refuse.
 * @param json - valid
 */
export const wellFormedJson = (json: string): string =>
  json.replace(
    /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F]|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g,
    (all, lone?: string) => (lone === undefined ? all : '\uFFFD'),
  );

/** A value as JSON that UTF-8 can hold. */
export const jsonText = (value: unknown): string => wellFormedJson(JSON.stringify(value));

/** The first problem, as `key: message`. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return error.message;
  return issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message;
}
