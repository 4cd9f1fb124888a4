import { bodyPrint, sharedHeight, sharedWidth } from '../body-print.js';
import { bottomOf } from '../boxes.js';
import type { PageContent, PdfContent, TextLine } from '../page-content.js';

/** Of the size of running text, and of the height of a page: running heads stand further out. */
const [leastSize, edge] = [1.5, 0.18];
/** Of the pages, and points between the places on two of them. */
const [mostPages, tolerance] = [0.5, 3];

/**
 * Without watermarks: large text that runs aslant or is printed over text, and text apart that stands at the same place in the
 * midst of most pages.
 */
export function withoutWatermarks(content: PdfContent): PdfContent {
  const { pages } = content;
  const size = bodyPrint(content).fontSize * leastSize;
  const isSame = (line: TextLine, other: TextLine): boolean =>
    line.text === other.text &&
    [0, 1].every((side) => Math.abs((line.box[side] ?? 0) - (other.box[side] ?? 0)) < tolerance);
  const isRepeated = (line: TextLine): boolean => {
    const holding = pages.filter(({ lines }) => lines.some((other) => isSame(line, other)));
    return holding.length > 1 && holding.length >= pages.length * mostPages;
  };
  const isWatermark = (line: TextLine, page: PageContent): boolean => {
    if (!/\p{L}{3}/u.test(line.text)) return false;
    const crossed = page.lines.filter((other) => other !== line && isOver(line, other)).length;
    if (line.fontSize >= size && (isAslant(line) || crossed > 1)) return true;
    const isInMidst =
      line.box[1] > page.height * edge && bottomOf(line.box) < page.height * (1 - edge);
    const isBeside = (other: TextLine): boolean =>
      other !== line && sharedHeight(line.box, other.box) > 0;
    return (isAslant(line) || (isInMidst && !page.lines.some(isBeside))) && isRepeated(line);
  };
  return {
    ...content,
    pages: pages.map((page) => ({
      ...page,
      lines: page.lines.filter((line) => !isWatermark(line, page)),
    })),
  };
}

const isAslant = ({ upright, box, fontSize }: TextLine): boolean =>
  !upright && Math.min(box[2], box[3]) > fontSize * 2;

const isOver = ({ box }: TextLine, { box: other, upright }: TextLine): boolean =>
  upright && sharedWidth(box, other) > 2 && sharedHeight(box, other) > other[3] / 3;
