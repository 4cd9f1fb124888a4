import { v5 as uuid5 } from 'uuid';
import { venueNames } from '../extraction/front-matter/imprint.js';
import type { ItemPlace, Paper } from '../extraction/paper.js';
import { paperTables, type ImportedPaper, type PaperRows, type TableSpec } from './paper-tables.js';

/** The venue of papers whose venue is unknown. */
const uncategorized = 'uncategorized';

/**
 * The id of a paper. It is equal in all stores (docs/reference/hybrid-agent.md, "Stores").
 * @param venue - conference and year in lower case, e.g. `acl2023`
 * @throws RangeError if the venue has other characters than letters and digits
 */
export function paperId(title: string, venue: string = uncategorized): string {
  if (!/^[a-z\d]+$/.test(venue)) throw new RangeError(`not a conference and year: '${venue}'`);
  return uuid5(`${normalizeTitle(title)}-${venue}`, uuid5.DNS);
}

/** The part of a title that the id is made from. Empty for titles without Latin letters and digits. */
export const normalizeTitle = (title: string): string =>
  title.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The id of a paper whose title is that of another paper in the store. `paperId` is the id of the title. */
export const contentPaperId = ({
  paperId,
  sha256,
}: {
  readonly paperId: string;
  readonly sha256: string;
}): string => uuid5(`${paperId}_${sha256}`, uuid5.DNS);

const pageId = (paper: string, page: number): string => uuid5(`${paper}_page_${page}`, uuid5.DNS);

/** @param number - from 1 within the page */
export const pageItemId = (
  paper: string,
  page: number,
  kind: 'chunk' | 'table' | 'image' | 'equation',
  number: number,
): string => uuid5(`${paper}_page_${page}_${kind}_${number}`, uuid5.DNS);

/** @param index - from 0 within the paper */
const sectionId = (paper: string, index: number): string =>
  uuid5(`${paper}_section_${index}`, uuid5.DNS);

/** @param index - from 0 within the paper */
const referenceId = (paper: string, index: number): string =>
  uuid5(`${paper}_reference_${index + 1}`, uuid5.DNS);

interface ReadPaper {
  /** File name of the PDF. */
  readonly file: string;
  /** SHA-256 of the PDF's bytes, in hex. */
  readonly sha256: string;
  readonly paper: Paper;
}

/**
 * The rows of a paper. The same PDF always gives the same rows and ids; imported rows are given back as they are.
 * @param held - the paper's id in its store: it counts where it is that of a paper whose title another one has
 */
export const paperRows = (kept: ReadPaper | ImportedPaper, held?: string): PaperRows =>
  'rows' in kept ? importedRows(kept, held) : readRows(kept, held);

function importedRows({ rows, sha256 }: ImportedPaper, held?: string): PaperRows {
  const [paper] = rows.metadata;
  const isOfContent =
    typeof paper?.paper_id === 'string' &&
    held === contentPaperId({ paperId: paper.paper_id, sha256 });
  return isOfContent ? withContentIds(rows, sha256) : rows;
}

/** The rows under ids that no other rows have, whatever ids those were made with. */
const withContentIds = (rows: PaperRows, sha256: string): PaperRows =>
  Object.fromEntries(
    Object.entries<readonly object[]>(rows).map(([table, list]) => {
      const { columns }: TableSpec = paperTables[table as keyof PaperRows];
      const cell = ([column, value]: readonly [string, unknown]): readonly [string, unknown] =>
        columns[column]?.type === 'UUID' && typeof value === 'string'
          ? [column, contentPaperId({ paperId: value, sha256 })]
          : [column, value];
      return [table, list.map((row) => Object.fromEntries(Object.entries(row).map(cell)))];
    }),
  ) as unknown as PaperRows; // only texts of ids have changed

function readRows({ file, sha256, paper: read }: ReadPaper, held?: string): PaperRows {
  const title = read.title ?? file;
  const ofTitle = paperId(normalizeTitle(title) === '' ? sha256 : title);
  const ofContent = contentPaperId({ paperId: ofTitle, sha256 });
  return rowsUnderId(held === ofContent ? ofContent : ofTitle, file, read);
}

/**
 * The rows of a paper that has this id.
 * @param file - name of the PDF
 */
export function rowsUnderId(paper: string, file: string, read: Paper): PaperRows {
  const onPage = (page: number) => ({ ref_paper_id: paper, ref_page_id: pageId(paper, page) });
  const venue = read.venue === null ? null : venueNames(read.venue);
  return {
    metadata: [
      {
        paper_id: paper,
        title: read.title ?? file,
        abstract: read.abstract,
        num_pages: read.pages.length,
        conference_full: venue?.full ?? uncategorized,
        conference_abbreviation: venue?.short ?? uncategorized,
        pub_year: read.year,
        volume: null,
        download_url: read.arxivId === null ? null : `https://arxiv.org/pdf/${read.arxivId}`,
        bibtex: null,
        authors: read.authors,
        pdf_path: file,
        tldr: null,
        tags: read.keywords,
      },
    ],
    pages: read.pages.map((page, index) => ({
      page_id: pageId(paper, index + 1),
      page_number: index + 1,
      page_width: Math.round(page.width),
      page_height: Math.round(page.height),
      page_content: page.text,
      page_summary: null,
      ref_paper_id: paper,
    })),
    images: byPage(read.figures).map(({ item, ordinal }) => ({
      image_id: pageItemId(paper, item.page, 'image', ordinal + 1),
      image_caption: item.caption,
      image_summary: null,
      bounding_box: wholePoints(item),
      ordinal,
      ...onPage(item.page),
    })),
    chunks: byPage(read.chunks).map(({ item, ordinal }) => ({
      chunk_id: pageItemId(paper, item.page, 'chunk', ordinal + 1),
      text_content: item.text,
      ordinal,
      ...onPage(item.page),
    })),
    tables: byPage(read.tables).map(({ item, ordinal }) => ({
      table_id: pageItemId(paper, item.page, 'table', ordinal + 1),
      table_caption: item.caption,
      table_content: item.html,
      table_summary: null,
      bounding_box: wholePoints(item),
      ordinal,
      ...onPage(item.page),
    })),
    sections: read.sections.map((section, index) => ({
      section_id: sectionId(paper, index),
      section_title: section.number === null ? section.title : `${section.number} ${section.title}`,
      section_content: section.text,
      section_summary: null,
      ordinal: index,
      page_numbers: section.pages,
      ref_paper_id: paper,
    })),
    equations: byPage(read.equations).map(({ item, ordinal }) => ({
      equation_id: pageItemId(paper, item.page, 'equation', ordinal + 1),
      equation_content: item.latex,
      ordinal,
      ...onPage(item.page),
    })),
    reference: read.references.map(({ text, page }, index) => ({
      reference_id: referenceId(paper, index),
      reference_content: text,
      ordinal: index,
      ...onPage(page),
    })),
  };
}

/** With the position of each item among those of its page, from 0. */
function byPage<Item extends { readonly page: number }>(
  items: readonly Item[],
): readonly { readonly item: Item; readonly ordinal: number }[] {
  const counts = new Map<number, number>();
  return items.map((item) => {
    const ordinal = counts.get(item.page) ?? 0;
    counts.set(item.page, ordinal + 1);
    return { item, ordinal };
  });
}

/** The smallest box of whole points around the place. */
function wholePoints({ box }: ItemPlace): [number, number, number, number] | null {
  if (box === null) return null;
  const [x, y, width, height] = box;
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return [left, top, Math.ceil(x + width) - left, Math.ceil(y + height) - top];
}
