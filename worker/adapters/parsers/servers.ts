import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readDoclingDocument } from '../../../domain/extraction/parsers/docling.js';
import { readGrobidTei } from '../../../domain/extraction/parsers/grobid.js';
import { readMineru } from '../../../domain/extraction/parsers/mineru.js';
import {
  UnexpectedDocument,
  type PageSize,
  type PaperParts,
} from '../../../domain/extraction/parsers/paper-parts.js';
import { jsonIn } from '../../../domain/formats/json.js';
import {
  parserFailure,
  withParserServer,
  type NamedPdf,
  type ParserServer,
} from './parser-server.js';

/** Has a server read a PDF. Throws PortFailure('ParserUnavailable') or PortFailure('ParserFailed'). */
export type ReadWithServer = (
  server: ParserServer,
  pdf: NamedPdf,
  pages: readonly PageSize[],
  signal: AbortSignal,
) => Promise<PaperParts>;

/** Elements of which GROBID shall tell the boxes. */
const withCoordinates = ['title', 'persName', 'head', 'p', 'formula', 'figure', 'biblStruct'];

/** By `POST /api/processFulltextDocument` of GROBID 0.6 and later, without its look-ups in other services. */
export const readWithGrobid: ReadWithServer = (server, pdf, pages, signal) =>
  withParserServer(server, pdf, signal, async ({ send }) => {
    const fields = [
      ['consolidateHeader', '0'],
      ['consolidateCitations', '0'],
      ['includeRawCitations', '1'],
      ...withCoordinates.map((element) => ['teiCoordinates', element] as const),
    ] as const;
    return readGrobidTei(await send('/api/processFulltextDocument', fields, 'input'), pages);
  });

const mineruReply = z.object({
  results: z.record(
    z.string(),
    z.object({ middle_json: z.unknown().optional(), content_list: z.unknown().optional() }),
  ),
});

/** By `POST /file_parse` of MinerU's API server, version 2 and later. The two documents come as JSON in texts. */
export const readWithMineru: ReadWithServer = (server, pdf, pages, signal) =>
  withParserServer(server, pdf, signal, async ({ send }) => {
    const fields = [
      ['return_md', 'false'],
      ['return_middle_json', 'true'],
      ['return_content_list', 'true'],
    ] as const;
    const { data } = mineruReply.safeParse(jsonIn(await send('/file_parse', fields, 'files')));
    const [result] = Object.values(data?.results ?? {});
    if (result === undefined) throw new UnexpectedDocument('is no result of MinerU');
    const [middle, contentList] = [result.middle_json, result.content_list].map(documentIn);
    return readMineru({ middle: middle ?? null, contentList: contentList ?? null }, pages);
  });

const documentIn = (value: unknown): unknown => (typeof value === 'string' ? jsonIn(value) : value);

const taskSchema = z.object({ task_id: z.string().min(1), task_status: z.string() });
const doclingReply = z.object({
  document: z.object({ json_content: z.unknown() }),
  status: z.string(),
  errors: z.array(z.object({ error_message: z.string() })).default([]),
});
/** Seconds that the server holds a question for the state of a task. */
const pollSeconds = 20;

/** By the tasks of docling-serve, since its direct reply is cut off after two minutes. */
export const readWithDocling: ReadWithServer = (server, pdf, pages, signal) =>
  withParserServer(server, pdf, signal, async ({ send, get }) => {
    const fields = [
      ['from_formats', 'pdf'],
      ['to_formats', 'json'],
      ['image_export_mode', 'placeholder'],
    ] as const;
    let task = taskIn(await send('/v1/convert/file/async', fields, 'files'));
    const id = encodeURIComponent(task.task_id);
    for (;;) {
      task = taskIn(await get(`/v1/status/poll/${id}?wait=${pollSeconds}`));
      if (!['pending', 'started'].includes(task.task_status)) break;
      await sleep(pollPauseMs, undefined, { signal });
    }
    const body = await get(`/v1/result/${id}`);
    const { data } = doclingReply.safeParse(jsonIn(body));
    if (data === undefined) throw new UnexpectedDocument('is no result of Docling');
    if (data.status !== 'success') {
      const said = data.errors.map(({ error_message }) => error_message).join('; ');
      throw parserFailure(
        'ParserFailed',
        server,
        pdf,
        `read it with ${data.status}${said && `: ${said.slice(0, 200)}`}`,
      );
    }
    return readDoclingDocument(data.document.json_content, pages);
  });

/** A server that does not hold questions would be asked all the time. */
const pollPauseMs = 500;

function taskIn(body: string): Readonly<z.infer<typeof taskSchema>> {
  const { data } = taskSchema.safeParse(jsonIn(body));
  if (data === undefined) throw new UnexpectedDocument('is no task of Docling');
  return data;
}
