import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPaperParsers } from '../../../../worker/adapters/parsers/paper-parsers.js';
import {
  mineruContentList,
  mineruMiddle,
  pageSizes,
} from '../../../support/extraction/parser-replies.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-parsers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const parsers = createPaperParsers({});
const never = new AbortController().signal;

function fileAt(path: string, content: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(content));
}
const pdfAt = (path = 'ovens.pdf'): string => join(folder, path);

describe('files of MinerU', () => {
  it.each([
    ['beside the PDF', 'ovens.pdf', 'ovens_middle.json', 'ovens_content_list.json'],
    [
      'in its folder there',
      'ovens.pdf',
      'ovens/ovens_middle.json',
      'ovens/ovens_content_list.json',
    ],
    [
      'in the folder of its method',
      'ovens.pdf',
      'ovens/auto/ovens_middle.json',
      'ovens/auto/ovens_content_list.json',
    ],
    [
      'beside its own copy of the PDF',
      'ovens/auto/ovens_origin.pdf',
      'ovens/auto/ovens_middle.json',
      'ovens/auto/ovens_content_list.json',
    ],
  ])('are found %s', async (_, pdf, middle, contentList) => {
    fileAt(middle, mineruMiddle);
    fileAt(contentList, mineruContentList);
    const sources = await parsers.find(pdfAt(pdf));
    expect(sources).toEqual([
      { parser: 'mineru', files: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    ]);
    const [source] = sources;
    if (!source) return;
    const parts = await parsers.read(source, pdfAt(pdf), pageSizes, never);
    expect(parts.title).toBe('Warm Ovens in Cold Rooms');
    expect(await parsers.find(pdfAt(pdf), ['mineru'])).toEqual(sources);
    expect(await parsers.find(pdfAt(pdf), [])).toEqual([]);
  });

  it('are read where only one is there, and are another source when it changes', async () => {
    fileAt('ovens_content_list.json', mineruContentList);
    const [source] = await parsers.find(pdfAt());
    fileAt('ovens_content_list.json', mineruContentList.slice(1));
    const [changed] = await parsers.find(pdfAt());
    expect(source?.files).not.toBe(changed?.files);
    if (!changed) return;
    const { figures } = await parsers.read(changed, pdfAt(), pageSizes, never);
    expect(figures).toHaveLength(1);
  });

  it('are not those of another PDF', async () => {
    fileAt('ovens_2_middle.json', mineruMiddle);
    expect(await parsers.find(pdfAt())).toEqual([]);
  });

  it('are named where they cannot be used', async () => {
    fileAt('ovens_content_list.json', { other: true });
    const [source] = await parsers.find(pdfAt());
    if (!source) throw new Error('the file is not found');
    await expect(parsers.read(source, pdfAt(), pageSizes, never)).rejects.toMatchObject({
      type: 'ParserFailed',
      message: `ovens.pdf is not read: ${pdfAt('ovens_content_list.json')} is no list of contents of MinerU. \`--parser none\` reads the PDF without it.`,
    });
  });
});

describe('a parser that is asked for', () => {
  it.each(['grobid', 'docling', 'mineru'] as const)('needs an address: %s', async (parser) => {
    await expect(parsers.find(pdfAt(), [parser])).rejects.toMatchObject({
      type: 'ParserMissing',
      message: expect.stringContaining(`set TURNWISE_${parser.toUpperCase()}_URL`) as string,
    });
  });

  it('is read from its files rather than from its server', async () => {
    fileAt('ovens_middle.json', mineruMiddle);
    const withServer = createPaperParsers({ mineru: { url: 'http://127.0.0.1:1' } });
    const [source] = await withServer.find(pdfAt(), ['mineru']);
    expect(source?.files).not.toBeNull();
  });
});
