import { z } from 'zod';

/** A value of JSON, in which an integer that a number would change is a bigint. */
export type ExactJson =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson };

export const exactJsonSchema: z.ZodType<ExactJson> = z.lazy(() =>
  z.union([z.json(), z.bigint(), z.array(exactJsonSchema), z.record(z.string(), exactJsonSchema)]),
);

/** Parses JSON. Invalid JSON gives undefined, which no schema of a file or a reply accepts. */
export const jsonIn = (text: string): unknown => parsed(text);

function parsed(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

/** Stands before the digits of a bigint while they are a JSON text: JSON.parse and JSON.stringify know no bigint. */
const mark = '\0integer ';
const marked = /^\0integer (-?\d+)$/;
const writtenMark = /"\\u0000integer (-?\d+)"/g;

const textsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** An integer as a number, or as a bigint if a number would change it. */
export function exactInteger(digits: string | bigint): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** `jsonIn` that keeps all digits of integers. */
export function exactJsonIn(text: string): unknown {
  if (!/\d{16}/.test(text)) return jsonIn(text);
  const readable = text.replace(textsAndNumbers, (part) =>
    /^-?\d{16,}$/.test(part) && !Number.isSafeInteger(Number(part))
      ? JSON.stringify(mark + part)
      : part,
  );
  return parsed(readable, (_key, value) => {
    const digits = typeof value === 'string' ? marked.exec(value)?.[1] : undefined;
    return digits === undefined ? value : BigInt(digits);
  });
}

/** JSON.stringify that writes a bigint as an integer, and what is not there as null. */
export const exactJson = (value: unknown, indent?: number): string =>
  JSON.stringify(
    value ?? null,
    (_key, part: unknown) => (typeof part === 'bigint' ? mark + part.toString() : part),
    indent,
  ).replace(writtenMark, '$1');

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
export const wellFormedJsonOf = (value: unknown): string => wellFormedJson(exactJson(value));

/** A value as canonical JSON (RFC 8785): equal values have one text. Integers keep all their digits. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return wellFormedJsonOf(value);
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const texts = fields
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${wellFormedJsonOf(name)}:${canonicalJson(inner)}`);
  return `{${texts.join(',')}}`;
}

/** The first problem, as `key: message`. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return error.message;
  return issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message;
}
