import type { BodyPrint } from '../body-print.js';
import { rightOf, sharedArea } from '../boxes.js';
import type { Caption } from '../captions.js';
import type { Box, PageContent, PdfContent, TextLine } from '../page-content.js';
import type { Place } from '../paper.js';
import { findProse, fontOf } from '../prose.js';
import { figureParts, type FigurePart } from './figure-parts.js';

/** What decides about the figures of a page. */
export interface Sheet {
  readonly page: PageContent;
  readonly captions: readonly Caption[];
  readonly parts: readonly FigurePart[];
  /** Text, captions and tables: no figure reaches across them. */
  readonly obstacles: readonly Box[];
  readonly textFonts: ReadonlySet<string>;
  readonly twoColumns: boolean;
}

export function sheetsOf(
  content: PdfContent,
  body: BodyPrint,
  captions: readonly Caption[],
  tables: readonly Place[],
): readonly Sheet[] {
  const prose = findProse(content, body);
  const twoColumns = hasTwoColumns(content, prose);
  return content.pages.map((page, index) => ({
    ...sheetOf(
      page,
      captions.filter((caption) => caption.page === index + 1),
      tables.filter((table) => table.page === index + 1).map(({ box }) => box),
      prose,
    ),
    twoColumns,
  }));
}

function sheetOf(
  page: PageContent,
  captions: readonly Caption[],
  tables: readonly Box[],
  prose: ReadonlySet<TextLine>,
): Omit<Sheet, 'twoColumns'> {
  const captionLines = captions.flatMap(({ lines }) => lines);
  const own = new Set(captionLines);
  const isText = (line: TextLine): boolean => prose.has(line) && !isPartLabel(line);
  const text = page.lines.filter((line) => own.has(line) || isText(line));
  const parts = figureParts(page, text, tables);
  const drawn = parts.flatMap(({ marks }) => marks.filter(isSpacious));
  const outside = text.filter(
    (line) => own.has(line) || !drawn.some((mark) => holds(mark, line.box)),
  );
  const obstacles = [...outside.map(({ box }) => box), ...tables];
  const textFonts = new Set(text.map(fontOf));
  return { page, captions, parts, obstacles, textFonts };
}

/** `(a) Before` below a part of a figure. */
const isPartLabel = ({ text }: TextLine): boolean => /^\([a-z]\)(\s|$)/.test(text);

/** Whether nearly all of the inner box is in the outer one. */
const holds = (outer: Box, inner: Box): boolean =>
  sharedArea(outer, inner) > 0.9 * inner[2] * inner[3];

/** Large enough to hold labels. */
const isSpacious = ([, , width, height]: Box): boolean => width > 40 && height > 40;

/** Whether few wide lines cross the middle of their page. */
function hasTwoColumns({ pages }: PdfContent, prose: ReadonlySet<TextLine>): boolean {
  const wide = pages.flatMap(({ width, lines }) =>
    lines
      .filter((line) => prose.has(line) && line.box[2] > width * 0.3)
      .map(({ box }) => box[0] < width * 0.47 && rightOf(box) > width * 0.53),
  );
  return wide.length > 0 && wide.filter(Boolean).length < wide.length * 0.3;
}
