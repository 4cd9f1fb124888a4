import { describe, expect, it } from 'vitest';
import { createPlanIngestion } from '../../../activities/ingestion/plan-ingestion.js';
import { createReadPaper, type ReadPaperInput } from '../../../activities/ingestion/read-paper.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PaperFilesPort, PaperParsersPort } from '../../../activities/ports/stores.js';
import type { PaperParts } from '../../../domain/extraction/parsers/paper-parts.js';
import { storeNameSchema } from '../../../domain/ids.js';
import type { KeptPaper } from '../../../domain/stores/paper-tables.js';
import type { Parser, ParserSource } from '../../../domain/stores/paper-parsers.js';
import { plainPaper } from '../../support/extraction/parser-replies.js';
import { runActivity } from '../../support/run-activity.js';
import { testEmbedders } from '../../support/stores/store-ports.js';

const store = storeNameSchema.parse('ovens');
const sha256 = 'a'.repeat(64);
const file = '/papers/ovens.pdf';

/** A store of one paper at most, and parsers that give what `parts` says. */
function ingestion(
  parts: Readonly<Partial<Record<Parser, PaperParts | PortFailure>>>,
  beside: readonly ParserSource[] = [],
) {
  let kept: KeptPaper | null = null;
  let read = 0;
  const paperFiles: PaperFilesPort = {
    fingerprint: () => Promise.resolve(sha256),
    kept: () => Promise.resolve(kept),
    keep: (_, paper) => {
      kept = paper;
      return Promise.resolve();
    },
    pdf: () => Promise.resolve(file),
    beside: () => Promise.resolve(null),
    discard: () => Promise.reject(new Error('nothing is unreadable')),
  };
  const paperParsers: PaperParsersPort = {
    find: (_, wanted) =>
      Promise.resolve(wanted?.map((parser) => ({ parser, files: null })) ?? beside),
    read: ({ parser }) => {
      const given = parts[parser] ?? {};
      return given instanceof PortFailure ? Promise.reject(given) : Promise.resolve(given);
    },
  };
  const pdf = {
    read: () => {
      read += 1;
      return Promise.resolve(plainPaper);
    },
  };
  const manifest = { papers: [{ sha256 }] } as never;
  const readPaper = createReadPaper({ paperFiles, paperParsers, pdf });
  const plan = createPlanIngestion({
    embedders: testEmbedders,
    ingestionFiles: {
      files: () => Promise.resolve([{ file, sha256 }]),
      savePlan: () => Promise.resolve(),
    } as never,
    paperFiles,
    paperParsers,
    storeWriter: { manifest: () => Promise.resolve(manifest) } as never,
  });
  const named = (parsers?: readonly Parser[]): Pick<ReadPaperInput, 'parsers'> =>
    parsers === undefined ? {} : { parsers };
  return {
    read: (parsers?: readonly Parser[]) =>
      runActivity(readPaper, { store, file, sha256, ...named(parsers) }),
    /** Whether the store would read it again. */
    isFresh: async (parsers?: readonly Parser[]) => {
      const id = '00000000-0000-4000-8000-000000000000';
      const page = { ingestion: { store, id }, page: 1 };
      const { fresh } = await runActivity(plan, { ...page, ...named(parsers) });
      return fresh.length > 0;
    },
    kept: () => (kept !== null && 'paper' in kept ? kept : null),
    timesRead: () => read,
  };
}

const grobid = { title: 'By GROBID', year: 1990 };
const docling = { title: 'By Docling' };

describe('a paper', () => {
  it('has the parts of the parsers in their order, and says which', async () => {
    const { read, kept } = ingestion({ grobid, docling });
    await read(['grobid', 'docling']);
    expect(kept()).toMatchObject({
      paper: { title: 'By Docling', year: 1990, abstract: plainPaper.abstract },
      parsers: [
        { parser: 'grobid', files: null, parts: ['title', 'year'] },
        { parser: 'docling', files: null, parts: ['title'] },
      ],
    });
  });

  it('says nothing of parsers where it was read without', async () => {
    const { read, kept } = ingestion({});
    await read([]);
    expect(kept()).not.toHaveProperty('parsers');
  });

  it('is read again by another parser only', async () => {
    const { read, isFresh, timesRead } = ingestion({ grobid, docling });
    await read(['grobid']);
    await read(['grobid']);
    expect(timesRead()).toBe(1);
    expect(await isFresh(['grobid'])).toBe(false);
    expect(await isFresh(['docling'])).toBe(true);
    expect(await isFresh([])).toBe(true);
    await read(['docling']);
    expect(timesRead()).toBe(2);
  });

  it('stays as a server has read it where no parser is asked for', async () => {
    const { read, isFresh, kept } = ingestion({ grobid });
    await read(['grobid']);
    expect(await isFresh()).toBe(false);
    await read();
    expect(kept()?.paper.title).toBe('By GROBID');
  });

  it('is read again when the files beside it change', async () => {
    const beside = [{ parser: 'mineru' as const, files: '1' }];
    const { read, isFresh } = ingestion({ mineru: docling }, beside);
    await read();
    expect(await isFresh()).toBe(false);
    beside[0] = { parser: 'mineru', files: '2' };
    expect(await isFresh()).toBe(true);
  });

  it('is not kept where a parser fails', async () => {
    const failure = new PortFailure('ParserFailed', 'ovens.pdf is not read: GROBID is ill.');
    const { read, kept } = ingestion({ docling, grobid: failure });
    await expect(read(['docling', 'grobid'])).rejects.toMatchObject({
      type: 'ParserFailed',
      message: failure.message,
      nonRetryable: true,
    });
    expect(kept()).toBeNull();
  });
});
