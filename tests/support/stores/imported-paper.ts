import type { PaperRows } from '../../../domain/stores/paper-tables.js';

const id = (part: string): string => `${part.padEnd(8, '0')}-0000-5000-8000-000000000000`;

/** The rows of a paper of two pages as another system made them: its ids follow no rule of ours. */
export const importedRows = (title = 'Counting Geese', part = 'a'): PaperRows => {
  const paper = { ref_paper_id: id(part) };
  const onPage = (page: number) => ({ ...paper, ref_page_id: id(`${part}${page}`) });
  const page = (page_number: number, page_content: string) => ({
    ...{ page_id: id(`${part}${page_number}`), page_number, page_width: 595, page_height: 842 },
    ...{ page_content, page_summary: `What page ${page_number} says.`, ...paper },
  });
  return {
    metadata: [
      {
        ...{ paper_id: id(part), title, abstract: 'Geese are counted at dusk.', num_pages: 2 },
        ...{ conference_full: 'Meeting on Birds', conference_abbreviation: 'MOB', pub_year: 2023 },
        ...{ volume: null, download_url: 'https://example.org/geese.pdf', bibtex: '@misc{geese}' },
        ...{ authors: ['Ada Field'], pdf_path: 'geese.pdf', tldr: 'Geese, counted.' },
        tags: ['geese'],
      },
    ],
    pages: [page(1, 'The north pond held 214 geese.'), page(2, 'The south pond held 96 geese.')],
    images: [],
    chunks: [
      {
        ...{ chunk_id: id(`${part}c`), text_content: 'The north pond held 214 geese.', ordinal: 1 },
        ...onPage(1),
      },
    ],
    tables: [
      {
        ...{ table_id: id(`${part}d`), table_caption: 'Table 1: Geese by pond.' },
        table_content: '<table><tr><td>north</td><td>214</td></tr></table>',
        ...{ table_summary: 'Geese of two ponds.', bounding_box: [72, 100, 200, 50], ordinal: 0 },
        ...onPage(2),
      },
    ],
    sections: [
      {
        ...{ section_id: id(`${part}e`), section_title: '1 Ponds', ordinal: 0, page_numbers: [1] },
        ...{ section_content: 'The north pond held 214 geese.', section_summary: null, ...paper },
      },
    ],
    equations: [],
    reference: [],
  };
};
