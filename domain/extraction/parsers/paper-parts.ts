import { roundedBox, type Box } from '../page-content.js';
import type { Paper } from '../paper.js';

/**
 * The parts of a paper that another parser gives, in place of those that PDFium's characters give (`replaceParts`). A part
 * that the parser does not give, or of which it finds none, is absent.
 */
export interface PaperParts extends Partial<
  Pick<
    Paper,
    'title' | 'authors' | 'affiliations' | 'abstract' | 'keywords' | 'year' | 'venue' | 'doi'
  >
> {
  readonly sections?: SectionsPart;
  readonly tables?: readonly TablePart[];
  readonly figures?: readonly FigurePart[];
  readonly equations?: readonly EquationPart[];
  readonly references?: readonly ReferencePart[];
}

/** Where a parser sees an item; null for what it does not tell. The box is one of `page-content.ts`. */
export interface PartPlace {
  /** From 1. */
  readonly page: number | null;
  readonly box: Box | null;
}

/** Of what only its text is known. */
export const nowhere: PartPlace = { page: null, box: null };

/** A paragraph, an entry of a list, or the like. */
export interface Passage {
  readonly text: string;
  /** Where it begins. */
  readonly page: number | null;
}

export interface SectionsPart {
  /** The text before the first section, such as the abstract. */
  readonly opening: readonly Passage[];
  readonly list: readonly SectionPart[];
}

export interface SectionPart {
  /** Without the number. */
  readonly title: string;
  /** As printed; null where it has none, or the parser does not tell. */
  readonly number: string | null;
  /** From 1; null where the parser does not tell. */
  readonly level: number | null;
  /** Of the heading. */
  readonly page: number | null;
  /** Without the texts of its subsections. */
  readonly passages: readonly Passage[];
}

interface CaptionedPart extends PartPlace {
  /** With its label where `number` is told, else without; empty where it has none. */
  readonly caption: string;
  readonly number: string | null;
}

export interface TablePart extends CaptionedPart {
  /** As `PaperTable.html`; null where the parser does not read the cells. */
  readonly html: string | null;
}

export type FigurePart = CaptionedPart;

export interface EquationPart extends PartPlace {
  readonly latex: string;
  readonly number: string | null;
}

export interface ReferencePart extends PartPlace {
  readonly text: string;
  readonly label: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly title: string | null;
}

/** Without the parts that are empty, which a parser did not find. */
export function foundParts(parts: PaperParts): PaperParts {
  const isEmpty = (part: unknown): boolean =>
    part === null ||
    part === undefined ||
    part === '' ||
    (Array.isArray(part) && part.length === 0);
  return Object.fromEntries(
    Object.entries(parts).filter(([name, part]) =>
      name === 'sections' ? (part as SectionsPart | undefined)?.list.length : !isEmpty(part),
    ),
  );
}

/** A document that is not of the parser's form. The message continues the sentence "The reply …". */
export class UnexpectedDocument extends Error {
  override readonly name = 'UnexpectedDocument';
}

/** In points. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** A box on a page as a parser measures it, as one of the page itself; null where the pages have other shapes. */
export function boxOnPage(
  [x, y, width, height]: Box,
  [fromWidth, fromHeight]: readonly [number, number],
  page: PageSize | undefined,
): Box | null {
  if (page === undefined || !(fromWidth > 0) || !(fromHeight > 0)) return null;
  const [across, down] = [page.width / fromWidth, page.height / fromHeight];
  if (Math.abs(across / down - 1) > mostDistortion || !(width > 0) || !(height > 0)) return null;
  return roundedBox([x * across, y * down, width * across, height * down]);
}

/** Parsers round the sizes of pages. A page that is cut or turned has another shape. */
const mostDistortion = 0.02;
