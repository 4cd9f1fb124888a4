import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { UnexpectedDocument } from '../../../domain/extraction/parsers/paper-parts.js';
import { parserNames, type Parser } from '../../../domain/stores/paper-parsers.js';
import { exchange, ReplyTooLong } from '../http/exchange.js';
import { quoteSafely } from '../model-apis/failures.js';
import { timeLimit } from '../time-limit.js';

/** A PDF on this machine, and what messages call it. */
export interface NamedPdf {
  readonly path: string;
  readonly name: string;
}

/** A server that reads PDFs. */
export interface ParserServer {
  readonly parser: Parser;
  /** Its base address. */
  readonly url: string;
  /** Sent as `X-Api-Key`. */
  readonly key?: string | undefined;
  /** The most time for a PDF, over all requests. @defaultValue half an hour */
  readonly limitMs?: number;
}

const defaultLimitMs = 30 * 60_000;
/** Servers that are busy free a place within seconds. */
const busyMs = 10_000;
/** A reply for a book without its pictures has a tenth of it. */
const mostBytes = 200 * 2 ** 20;

interface ParserRequests {
  /** The reply to a form with the PDF in the field `file`. */
  readonly send: (
    path: string,
    fields: readonly (readonly [string, string])[],
    file: string,
  ) => Promise<string>;
  readonly get: (path: string) => Promise<string>;
}

/**
 * Talks with a server about one PDF. The only place where failures of parsers are made: a busy server that may answer later is
 * `ParserUnavailable`, all else `ParserFailed`.
 */
export async function withParserServer<T>(
  server: ParserServer,
  pdf: NamedPdf,
  signal: AbortSignal,
  work: (requests: ParserRequests) => Promise<T>,
): Promise<T> {
  const limitMs = server.limitMs ?? defaultLimitMs;
  const end = AbortSignal.any([signal, timeLimit(limitMs)]);
  const headers = server.key === undefined ? {} : { 'x-api-key': server.key };
  const request = async (
    path: string,
    init: Partial<Parameters<typeof exchange>[1]>,
  ): Promise<string> => {
    const url = new URL(`${server.url.replace(/\/+$/, '')}${path}`);
    const reply = await exchange(url, {
      method: 'GET',
      ...init,
      headers: { ...headers, ...init.headers },
      signal: end,
      mostBytes,
    });
    const body = await reply.text();
    if (reply.status !== 200) throw refusal(server, pdf, reply, body);
    return body;
  };
  try {
    return await work({
      get: (path) => request(path, {}),
      send: async (path, fields, file) => {
        const form = new FormData();
        form.append(
          file,
          new Blob([await readFile(pdf.path)], { type: 'application/pdf' }),
          pdf.name,
        );
        for (const [name, value] of fields) form.append(name, value);
        const encoded = new Response(form);
        return request(path, {
          method: 'POST',
          headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
          body: new Uint8Array(await encoded.arrayBuffer()),
        });
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, server, pdf, limitMs);
  }
}

/** Reads files of a parser. A document of another form becomes PortFailure('ParserFailed'). @param path - of the file at fault */
export async function readingFiles<T>(
  pdf: string,
  path: string,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnexpectedDocument)) throw error;
    throw new PortFailure(
      'ParserFailed',
      `${basename(pdf)} is not read: ${path} ${error.message}. \`--parser none\` reads the PDF without it.`,
    );
  }
}

/** @param why - continues the sentence "GROBID at http://… …" */
export const parserFailure = (
  type: 'ParserUnavailable' | 'ParserFailed',
  { parser, url }: Pick<ParserServer, 'parser' | 'url'>,
  pdf: NamedPdf,
  why: string,
  options: PortFailure['options'] = {},
): PortFailure => {
  const { origin, pathname } = new URL(url);
  const address = `${origin}${pathname === '/' ? '' : pathname}`;
  return new PortFailure(
    type,
    `${pdf.name} is not read: ${parserNames[parser]} at ${address} ${why}.`,
    options,
  );
};

function failureOf(error: unknown, server: ParserServer, pdf: NamedPdf, limitMs: number): unknown {
  if (error instanceof PortFailure) return error;
  if (error instanceof UnexpectedDocument) {
    return parserFailure('ParserFailed', server, pdf, `sent a reply that ${error.message}`);
  }
  if (error instanceof ReplyTooLong) {
    return parserFailure('ParserFailed', server, pdf, `sent ${error.message}`);
  }
  if (!(error instanceof Error)) return error;
  if (['TimeoutError', 'AbortError'].includes(error.name)) {
    return parserFailure('ParserFailed', server, pdf, `did not answer within ${limitMs / 1000} s`);
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  // Not of the connection, so an error of our own.
  if (code === null) return error;
  return parserFailure(
    'ParserUnavailable',
    server,
    pdf,
    `cannot be reached or broke the connection (${code})`,
    {
      cause: error,
      retryAfterMs: busyMs,
    },
  );
}

const later = new Set([408, 425, 429, 502, 503, 504]);

function refusal(
  server: ParserServer,
  pdf: NamedPdf,
  { status, headers }: Response,
  body: string,
): PortFailure {
  const quote = quoteSafely(body, server.key === undefined ? [] : [server.key]);
  const seen = [status, quote].filter((part) => part !== '').join(' ');
  if (later.has(status)) {
    const seconds = Number(headers.get('retry-after') ?? NaN);
    return parserFailure('ParserUnavailable', server, pdf, `is busy (${seen})`, {
      retryAfterMs: seconds > 0 ? seconds * 1000 : busyMs,
    });
  }
  return parserFailure('ParserFailed', server, pdf, refusals(server, status, seen));
}

function refusals({ parser, key }: ParserServer, status: number, seen: string): string {
  if (status === 204) return 'found nothing in it';
  if (status < 400) return `redirects to another address (${seen}): use that one`;
  if (status === 401 || status === 403) {
    return key === undefined ? 'wants a key' : 'refused the key';
  }
  if (status === 404)
    return `knows no such service (${status}): check TURNWISE_${parser.toUpperCase()}_URL`;
  return `refused it (${seen})`;
}
