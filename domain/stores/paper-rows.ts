import { v5 as uuid5 } from 'uuid';
import {
  cutSections,
  findAbstract,
  findAuthors,
  findHeadings,
  findKeywords,
  findTitle,
} from './paper-sections.js';
import type { PaperRow, PaperRows } from './paper-tables.js';
import { chunkText, joinBrokenWords } from './paper-text.js';
import type { PdfDocument } from './pdf-document.js';

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

/** The maximum length of a passage in table `chunks`, in characters. */
const chunkLimit = 512;

interface ReadPaper {
  /** File name of the PDF. */
  readonly file: string;
  /** SHA-256 of the PDF's bytes, in hex. */
  readonly sha256: string;
  readonly document: PdfDocument;
}

/** The rows of a paper. The same PDF always gives the same rows and ids. */
export function paperRows({ file, sha256, document: extracted }: ReadPaper): PaperRows {
  const document = joinBrokenWords(extracted);
  const headings = findHeadings(document);
  const title = findTitle(document) || file;
  const paper = paperId(normalizeTitle(title) === '' ? sha256 : title);
  const pages = document.pages.map((page, index): PaperRow<'pages'> => ({
    page_id: pageId(paper, index + 1),
    page_number: index + 1,
    page_width: Math.round(page.width),
    page_height: Math.round(page.height),
    page_content: page.lines.map(({ text }) => text).join('\n'),
    page_summary: null,
    ref_paper_id: paper,
  }));
  return {
    metadata: [
      {
        paper_id: paper,
        title,
        abstract: findAbstract(document, headings),
        num_pages: pages.length,
        conference_full: uncategorized,
        conference_abbreviation: uncategorized,
        pub_year: null,
        volume: null,
        download_url: null,
        bibtex: null,
        authors: findAuthors(document),
        pdf_path: file,
        tldr: null,
        tags: findKeywords(document),
      },
    ],
    pages,
    images: [],
    chunks: pages.flatMap((page, index) => chunksOf(page, paper, index + 1)),
    tables: [],
    sections: cutSections(document, headings).map((section, index) => ({
      section_id: sectionId(paper, index),
      section_title: section.title,
      section_content: section.text,
      section_summary: null,
      ordinal: index,
      page_numbers: section.pages,
      ref_paper_id: paper,
    })),
    equations: [],
    reference: [],
  };
}

function chunksOf(
  page: PaperRow<'pages'>,
  paper: string,
  pageNumber: number,
): readonly PaperRow<'chunks'>[] {
  return chunkText(page.page_content ?? '', chunkLimit).map((text, index) => ({
    chunk_id: pageItemId(paper, pageNumber, 'chunk', index + 1),
    text_content: text,
    ordinal: index,
    ref_paper_id: paper,
    ref_page_id: page.page_id,
  }));
}
