import { describe, expect, it, test } from 'vitest';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import { linesOf, type Strip } from '../../../domain/extraction/lines.js';
import type { PageContent, TextLine } from '../../../domain/extraction/page-content.js';
import { contentOf, lineOf, pageOf } from '../../support/extraction/pdf-content.js';

const sentence = (row: number): string => `The oven of row ${row} is heated with dry wood at night`;
const texts = Array.from({ length: 24 }, (_, row) =>
  row === 0 ? '1 Introduction' : sentence(row),
);

interface Numbering {
  readonly first?: number;
  readonly every?: number;
  /** Where the numbers end, or begin in the margin on the right. */
  readonly x?: number;
  readonly side?: 'left' | 'right';
  readonly digits?: number;
  /** Whether number and text are one strip of the text layer, so that they may be one line. */
  readonly joined?: boolean;
}

/** A page with a number beside its lines, where they are due. */
function numberedPage(
  rows: readonly string[],
  { first = 1, every = 1, x = 62, side = 'left', digits = 1, joined = false }: Numbering,
): PageContent {
  const strips = rows.flatMap((text, row): readonly Strip[] => {
    const y = 80 + row * 14;
    const value = first + row;
    const line = lineOf({ text, x: 72, y });
    if (value % every !== 0) return [line];
    const number = String(value).padStart(digits, '0');
    const left = side === 'left' ? x - number.length * 3.5 : 440;
    const printed = lineOf({ text: number, x: left, y, fontSize: 7 });
    const inOrder = side === 'left' ? [printed, line] : [line, printed];
    return joined
      ? [
          {
            upright: true,
            runs: inOrder.flatMap(({ runs }, at) =>
              runs.map((run) => ({ ...run, spaced: at > 0 || run.spaced })),
            ),
          },
        ]
      : inOrder;
  });
  return { ...pageOf([]), lines: linesOf(strips) };
}

const textOfPages = (pages: readonly PageContent[]): readonly string[] =>
  extractPaper(contentOf(pages)).pages.map(({ text }) => text);

describe('line numbers of a manuscript', () => {
  it.each<[string, Numbering, Numbering]>([
    ['go on over pages', {}, { first: 25 }],
    ['begin anew on each page', {}, {}],
    ['stand on the right', { side: 'right' }, { side: 'right', first: 25 }],
    ['stand at every fifth line', { every: 5 }, { every: 5, first: 25 }],
    ['have zeros before them', { digits: 3 }, { digits: 3, first: 25 }],
    ['are part of their lines', { joined: true, x: 66 }, { joined: true, x: 66, first: 25 }],
    ['change sides', { side: 'left' }, { side: 'right', first: 25 }],
  ])('leave the text where they %s', (_, left, right) => {
    const pages = [numberedPage(texts, left), numberedPage(texts.slice(1), right)];
    expect(textOfPages(pages)).toEqual([texts.join('\n'), texts.slice(1).join('\n')]);
  });

  it('leave a last page of few lines', () => {
    const pages = [
      numberedPage(texts, {}),
      numberedPage(['A last line.', 'The end.'], { first: 25 }),
    ];
    expect(textOfPages(pages)[1]).toBe('A last line.\nThe end.');
  });

  it('leave title, authors, abstract and sections', () => {
    const front = [
      'A Study of Ovens',
      'Ada Baker and Bo Miller',
      'Abstract',
      sentence(0),
      ...texts,
    ];
    const page = numberedPage(front, { joined: true, x: 66 });
    const sized = (line: TextLine, fontSize: number): TextLine => ({
      ...line,
      fontSize,
      runs: line.runs.map((run, at) => (at === 0 ? run : { ...run, fontSize })),
    });
    const lines = page.lines.map((line, row) =>
      row === 0 ? sized(line, 16) : /Abstract|1 Intro/.test(line.text) ? sized(line, 12) : line,
    );
    const paper = extractPaper(contentOf([{ ...page, lines }]));
    expect(paper).toMatchObject({
      title: 'A Study of Ovens',
      authors: ['Ada Baker', 'Bo Miller'],
      abstract: sentence(0),
    });
  });
});

test('a word that a hyphen before a line number breaks is whole', () => {
  const rows = texts.map((text, row) =>
    row === 3
      ? 'The bakers stand beside the mas-'
      : row === 4
        ? 'ter of the oven and look at the bread'
        : text,
  );
  const [page] = textOfPages([numberedPage(rows, { side: 'right' })]);
  expect(page).toContain('beside the master\nof the oven');
});

describe('numbers that stay', () => {
  it('are those of rows in a table', () => {
    const rows = texts.map((_, row) => `${row + 1}`);
    const cells = rows.flatMap((text, row) => [
      { text, x: 62, y: 80 + row * 14 },
      { text: 'Rye', x: 90, y: 80 + row * 14 },
      { text: `${row * 3}.5`, x: 200, y: 80 + row * 14 },
    ]);
    expect(textOfPages([pageOf(cells)])[0]).toContain('7 Rye 18.5');
  });

  it('are those of a listing on one page of several', () => {
    const plain = pageOf(texts.map((text, row) => ({ text, y: 80 + row * 14 })));
    expect(textOfPages([plain, numberedPage(texts, {}), plain, plain])[1]).toContain(
      `7 ${texts[6]}`,
    );
  });

  it('are those of items, which stand where the text begins', () => {
    const items = pageOf(
      texts.map((text, row) => ({ text: `${row + 1} ${text}`, y: 80 + row * 14 })),
    );
    const plain = pageOf(texts.map((text, row) => ({ text, y: 480 + row * 14 })));
    const page = { ...items, lines: [...items.lines, ...plain.lines] };
    expect(textOfPages([page])[0]).toContain(`7 ${texts[6]}`);
  });
});
