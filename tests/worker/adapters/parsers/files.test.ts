import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
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

const source = (text: string): string =>
  `\\documentclass{article}\\title{Ovens}\\begin{document}\\section{${text}} Warm.\\bibliography{a}\\end{document}`;
const list = '\\begin{thebibliography}{1}\\bibitem{a} C. Cook. Bread. 1999.\\end{thebibliography}';

/** A tar archive of files with short names. */
const tar = (files: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat([
    ...Object.entries(files).flatMap(([name, text]) => {
      const header = Buffer.alloc(512);
      header.write(name, 0);
      header.write(text.length.toString(8).padStart(11, '0'), 124);
      header.write('0', 156);
      header.write('ustar\0', 257);
      const content = Buffer.alloc(Math.ceil(text.length / 512) * 512);
      content.write(text);
      return [header, content];
    }),
    Buffer.alloc(1024),
  ]);

describe('LaTeX source', () => {
  const put = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const readSource = async () => {
    const [found, ...others] = await parsers.find(pdfAt());
    expect(others).toEqual([]);
    expect(found?.parser).toBe('latex');
    return found && parsers.read(found, pdfAt(), pageSizes, never);
  };

  it.each<[string, () => void]>([
    [
      'a file beside the PDF',
      () => {
        put('ovens.tex', source('Heat'));
        put('ovens.bbl', list);
      },
    ],
    [
      'a folder beside the PDF',
      () => {
        put('ovens/main.tex', source('Heat'));
        put('ovens/main.bbl', list);
        put('ovens/old/draft.tex', 'no document');
      },
    ],
    [
      'an archive',
      () => put('ovens.tar.gz', gzipSync(tar({ './main.tex': source('Heat'), 'main.bbl': list }))),
    ],
    [
      'an archive by its name at arXiv',
      () => put('arXiv-ovens.tar.gz', gzipSync(tar({ 'a.tex': source('Heat'), 'a.bbl': list }))),
    ],
    [
      'a packed file',
      () => put('ovens.gz', gzipSync(source('Heat').replace('\\bibliography{a}', list))),
    ],
    [
      'a file in Latin-1',
      () => {
        put('ovens.tex', Buffer.from(source('Heat') + '% \u00e9', 'latin1'));
        put('ovens.bbl', list);
      },
    ],
  ])('is %s', async (_, write) => {
    write();
    const parts = await readSource();
    expect(parts?.sections?.list.map(({ title }) => title)).toEqual(['Heat', 'References']);
    expect(parts?.references?.[0]?.year).toBe(1999);
  });

  it('counts after the files of MinerU', async () => {
    put('ovens.tex', source('Heat'));
    fileAt('ovens_middle.json', mineruMiddle);
    const sources = await parsers.find(pdfAt());
    expect(sources.map(({ parser }) => parser)).toEqual(['mineru', 'latex']);
  });

  it('is another one when a file of it changes', async () => {
    put('ovens/main.tex', source('Heat'));
    const [before] = await parsers.find(pdfAt());
    put('ovens/main.bbl', list);
    const [after] = await parsers.find(pdfAt());
    expect(before?.files).not.toBe(after?.files);
  });

  it('need not be there', async () => {
    mkdirSync(join(folder, 'ovens'));
    expect(await parsers.find(pdfAt(), ['latex'])).toEqual([]);
  });

  it.each<[string, () => void, string]>([
    ['has no document', () => put('ovens.tex', 'text'), 'has no file with \\begin{document}'],
    ['is a broken archive', () => put('ovens.gz', 'text'), 'is no gzip file'],
  ])('is named where it %s', async (_, write, message) => {
    write();
    await expect(readSource()).rejects.toMatchObject({
      type: 'ParserFailed',
      message: expect.stringContaining(message) as string,
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
