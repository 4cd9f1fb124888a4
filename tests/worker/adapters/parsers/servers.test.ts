import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../../../../domain/stores/paper-parsers.js';
import { createPaperParsers } from '../../../../worker/adapters/parsers/paper-parsers.js';
import {
  doclingDocument,
  grobidReply,
  mineruContentList,
  mineruMiddle,
  pageSizes,
} from '../../../support/extraction/parser-replies.js';
import {
  startHttpEndpoint,
  type HttpEndpoint,
  type ReceivedRequest,
} from '../../../support/fakes/http-endpoint.js';
import { makePdf } from '../../../support/stores/make-pdf.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-parsers-'));
const pdf = join(folder, 'ovens.pdf');
const never = new AbortController().signal;
let endpoint: HttpEndpoint;

beforeAll(() => writeFileSync(pdf, makePdf({ pages: [[{ text: 'Ovens', y: 700 }]] })));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => endpoint.close());

type Server = Exclude<Parser, 'latex'>;
type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

async function readBy(
  parser: Server,
  reply: Reply,
  options: { key?: string; limitMs?: number } = {},
) {
  endpoint = await startHttpEndpoint(reply);
  const parsers = createPaperParsers({ [parser]: { url: `${endpoint.url}/`, ...options } });
  const [source] = await parsers.find(pdf, [parser]);
  expect(source).toEqual({ parser, files: null });
  return parsers.read({ parser, files: null }, pdf, pageSizes, never);
}

const answer =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** The texts of the fields of a form. */
function fieldsOf({ body, headers }: ReceivedRequest): readonly (readonly [string, string])[] {
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  return body.split(`--${boundary}`).flatMap((part) => {
    const [, name = '', text = ''] = /name="([^"]+)"[^]*?\r\n\r\n([^]*)\r\n$/.exec(part) ?? [];
    return name === '' ? [] : [[name, text] as const];
  });
}

const mineruReply = {
  backend: 'pipeline',
  version: '2.5.4',
  results: {
    ovens: {
      middle_json: JSON.stringify(mineruMiddle),
      content_list: JSON.stringify(mineruContentList),
    },
  },
};

const task = (task_status: string) => ({
  task_id: 'a1/b',
  task_type: 'convert',
  task_status,
  task_position: null,
});
const doclingResult = {
  document: { filename: 'ovens.pdf', md_content: null, json_content: doclingDocument },
  status: 'success',
  errors: [],
  processing_time: 1.5,
  timings: {},
};
/** docling-serve, which has read a PDF after one question. */
const docling =
  (result: unknown, ended = 'success'): Reply =>
  (response, request) => {
    if (request.path === '/v1/convert/file/async') answer(task('pending'))(response, request);
    else if (request.path.startsWith('/v1/status/poll/a1%2Fb?wait='))
      answer(task(ended))(response, request);
    else if (request.path === '/v1/result/a1%2Fb') answer(result)(response, request);
    else answer('', 404)(response, request);
  };

describe('the server of', () => {
  it('GROBID gets the PDF and the wish for boxes and the texts of references', async () => {
    const parts = await readBy('grobid', answer(grobidReply));
    expect(parts.title).toBe('Warm Ovens in Cold Rooms');
    const [request] = endpoint.received;
    expect(request?.path).toBe('/api/processFulltextDocument');
    const fields = request ? fieldsOf(request) : [];
    expect(fields[0]?.[0]).toBe('input');
    expect(fields[0]?.[1]).toMatch(/^%PDF-[^]*%%EOF/);
    expect(fields).toEqual(
      expect.arrayContaining([
        ['includeRawCitations', '1'],
        ['consolidateHeader', '0'],
        ['teiCoordinates', 'figure'],
        ['teiCoordinates', 'biblStruct'],
      ]),
    );
  });

  it('MinerU gets the PDF and the wish for its two documents', async () => {
    const parts = await readBy('mineru', answer(mineruReply));
    expect(parts.tables?.[0]?.box).toEqual([72, 400, 200, 60]);
    const [request] = endpoint.received;
    expect(request?.path).toBe('/file_parse');
    expect(fieldsOf(request as ReceivedRequest).map(([name]) => name)).toEqual([
      'files',
      'return_md',
      'return_middle_json',
      'return_content_list',
    ]);
  });

  it('Docling gets a task, is asked until that ends, and gives its document', async () => {
    const parts = await readBy('docling', docling(doclingResult), { key: 'k3y-of-docling' });
    expect(parts.references).toHaveLength(2);
    expect(endpoint.received.map(({ headers }) => headers['x-api-key'])).toEqual(
      Array.from({ length: 3 }, () => 'k3y-of-docling'),
    );
    expect(fieldsOf(endpoint.received[0] as ReceivedRequest)).toContainEqual([
      'to_formats',
      'json',
    ]);
  });
});

describe('a server that fails', () => {
  it.each<[string, Reply, number]>([
    ['has no place free', answer('', 503), 10_000],
    ['says when it has', answer('', 503, { 'retry-after': '3' }), 3000],
    ['is behind a proxy that lost it', answer('<html>', 502), 10_000],
    ['breaks the connection', (response) => response.destroy(), 10_000],
  ])('is asked again later where it %s', async (_, reply, retryAfterMs) => {
    await expect(readBy('grobid', reply)).rejects.toMatchObject({
      type: 'ParserUnavailable',
      message: expect.stringMatching(
        /^ovens\.pdf is not read: GROBID at http:\/\/127\.0\.0\.1:\d+ /,
      ) as string,
      options: { retryAfterMs },
    });
  });

  it.each<[string, Server, Reply, RegExp]>([
    [
      'refuses the PDF',
      'grobid',
      answer('[BAD_INPUT_DATA] no PDF', 500),
      /refused it \(500 "\[BAD_INPUT_DATA\] no PDF"\)/,
    ],
    ['misses something', 'grobid', answer('', 400), /refused it \(400\)/],
    ['finds nothing', 'grobid', answer('', 204), /found nothing in it/],
    [
      'is another one',
      'mineru',
      answer('', 404),
      /knows no such service \(404\): check TURNWISE_MINERU_URL/,
    ],
    ['has moved', 'grobid', answer('', 301, { location: '/x' }), /redirects to another address/],
    ['wants a key', 'docling', answer('', 401), /wants a key/],
    [
      'sends half a document',
      'grobid',
      answer(grobidReply.slice(0, 4000)),
      /sent a reply that is broken XML/,
    ],
    [
      'sends a page',
      'grobid',
      answer('<html><body>hi</body></html>'),
      /sent a reply that is no TEI document/,
    ],
    [
      'failed at its task',
      'mineru',
      answer({ status: 'failed', message: 'Task execution failed' }, 409),
      /refused it \(409/,
    ],
    [
      'sends no result',
      'mineru',
      answer({ results: {} }),
      /sent a reply that is no result of MinerU/,
    ],
    [
      'sends broken documents',
      'mineru',
      answer({ results: { ovens: { middle_json: '{', content_list: null } } }),
      /sent a reply that has neither blocks nor a list of contents/,
    ],
    ['sends no JSON', 'docling', answer('busy'), /sent a reply that is no task of Docling/],
    [
      'has read a part',
      'docling',
      docling({
        ...doclingResult,
        status: 'partial_success',
        errors: [{ error_message: 'page 2 timed out' }],
      }),
      /read it with partial_success: page 2 timed out/,
    ],
    [
      'lost the task',
      'docling',
      docling({ failure: { kind: 'gone' } }, 'failure'),
      /sent a reply that is no result of Docling/,
    ],
  ])('fails for the PDF where it %s', async (_, parser, reply, message) => {
    await expect(readBy(parser, reply)).rejects.toMatchObject({
      type: 'ParserFailed',
      message: expect.stringMatching(message) as string,
    });
  });

  it('fails for the PDF where it takes too long', async () => {
    await expect(readBy('grobid', () => undefined, { limitMs: 60 })).rejects.toMatchObject({
      type: 'ParserFailed',
      message: expect.stringContaining('did not answer within 0.06 s') as string,
    });
  });

  it('repeats no key', async () => {
    const refused = answer('wrong key k3y-of-docling', 400);
    await expect(readBy('docling', refused, { key: 'k3y-of-docling' })).rejects.toMatchObject({
      message: expect.not.stringContaining('k3y') as string,
    });
  });

  it('is unavailable where nobody listens', async () => {
    endpoint = await startHttpEndpoint(() => undefined);
    await endpoint.close();
    const parsers = createPaperParsers({ grobid: { url: endpoint.url } });
    const reading = parsers.read({ parser: 'grobid', files: null }, pdf, pageSizes, never);
    await expect(reading).rejects.toMatchObject({
      type: 'ParserUnavailable',
      message: expect.stringContaining('(ECONNREFUSED)') as string,
    });
  });

  it('is left when the ingestion is cancelled', async () => {
    endpoint = await startHttpEndpoint(() => cancel.abort());
    const cancel = new AbortController();
    const parsers = createPaperParsers({ grobid: { url: endpoint.url } });
    const reading = parsers.read({ parser: 'grobid', files: null }, pdf, pageSizes, cancel.signal);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});
