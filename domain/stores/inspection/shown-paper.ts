import type { Box } from '../../extraction/page-content.js';
import type { ItemPlace, Paper } from '../../extraction/paper.js';
import type { ExtractedPaper, ImportedPaper, PaperRows } from '../paper-tables.js';

/** The kinds of items, in the order in which they are listed. */
export const itemKinds = [
  ...(['front', 'section', 'table', 'figure', 'equation', 'reference', 'footnote'] as const),
] as const;
export type ItemKind = (typeof itemKinds)[number];

/** Something that a store holds of a paper, with where it was found. */
export interface PaperItem {
  readonly kind: ItemKind;
  /** Its kind and its place among the items of its kind, from 1, e.g. `table-2`. */
  readonly id: string;
  /** As printed, e.g. `2.1` or `Smi99`; null where it has none. */
  readonly number: string | null;
  /** From 1; null where nothing tells it. */
  readonly page: number | null;
  /** All its pages, in order. */
  readonly pages: readonly number[];
  /** Null where nothing tells it. */
  readonly box: Box | null;
  /** The level of a section, from 1; 1 for other items. */
  readonly level: number;
  /** What was read of it; what was not found is left out. */
  readonly parts: readonly ItemPart[];
}

export interface ItemPart {
  readonly name: string;
  /** `html`: a table, not to be trusted. */
  readonly form: 'text' | 'html' | 'latex';
  readonly text: string;
}

/** A passage that has a vector. */
export interface Passage {
  readonly page: number | null;
  /** The index of its section among the sections; null where it has none, or nothing tells it. */
  readonly section: number | null;
  readonly text: string;
}

interface ShownPage {
  readonly width: number;
  readonly height: number;
  readonly text: string;
  readonly unusable: string | null;
}

/** A paper of a store, read from its PDF or imported, as it is shown. */
export interface ShownPaper {
  readonly title: string;
  /** Empty where an import lacks them. */
  readonly pages: readonly ShownPage[];
  readonly items: readonly PaperItem[];
  readonly passages: readonly Passage[];
}

export const shownPaper = (
  kept: Pick<ExtractedPaper, 'file' | 'paper'> | Pick<ImportedPaper, 'file' | 'rows'>,
): ShownPaper => ('rows' in kept ? ofRows(kept) : ofPaper(kept));

/** The keys of the rows of items that have boxes, by the ids of the items. */
export const rowKeys = (rows: PaperRows): ReadonlyMap<string, string | null> =>
  new Map<string, string | null>([
    ...rows.tables.map((row, at) => [`table-${at + 1}`, row.table_id] as const),
    ...rows.images.map((row, at) => [`figure-${at + 1}`, row.image_id] as const),
    ...rows.equations.map((row, at) => [`equation-${at + 1}`, row.equation_id] as const),
    ...rows.reference.map((row, at) => [`reference-${at + 1}`, row.reference_id] as const),
  ]);

/** The first part of that name; empty where there is none. */
export const partOf = ({ parts }: PaperItem, name: string): string =>
  parts.find((part) => part.name === name)?.text ?? '';

function ofPaper({ file, paper }: Pick<ExtractedPaper, 'file' | 'paper'>): ShownPaper {
  return {
    title: paper.title ?? file,
    pages: paper.pages,
    passages: paper.chunks,
    items: [
      frontItem([
        ['title', paper.title],
        ['subtitle', paper.subtitle],
        ['authors', paper.authors.join('; ')],
        ['affiliations', paper.affiliations.join('; ')],
        ['year', paper.year],
        ['venue', paper.venue],
        ['DOI', paper.doi],
        ['arXiv', paper.arxivId],
        ['keywords', paper.keywords.join('; ')],
        ['abstract', paper.abstract],
      ]),
      ...numbered('section', paper.sections, ({ title, number, level, text, pages }) => ({
        ...{ number, level, pages, box: null },
        parts: texts([
          ['title', title],
          ['text', text],
        ]),
      })),
      ...numbered('table', paper.tables, ({ caption, number, html, ...place }) => ({
        ...onPage(place),
        number,
        parts: [...texts([['caption', caption]]), { name: 'cells', form: 'html', text: html }],
      })),
      ...numbered('figure', paper.figures, ({ caption, number, ...place }) => ({
        ...onPage(place),
        number,
        parts: texts([['caption', caption]]),
      })),
      ...numbered('equation', paper.equations, ({ latex, number, ...place }) => ({
        ...onPage(place),
        number,
        parts: [{ name: 'LaTeX', form: 'latex', text: latex }],
      })),
      ...referencesOf(paper),
      ...numbered('footnote', paper.footnotes, ({ mark, text, ...place }) => ({
        ...onPage(place),
        number: mark === '' ? null : mark,
        parts: texts([['text', text]]),
      })),
    ],
  };
}

const referencesOf = ({ references }: Paper): readonly PaperItem[] =>
  numbered('reference', references, ({ label, authors, year, title, text, ...place }) => ({
    ...onPage(place),
    number: label,
    parts: texts([
      ['text', text],
      ['authors', authors.join('; ')],
      ['year', year],
      ['title', title],
    ]),
  }));

function ofRows({ file, rows }: Pick<ImportedPaper, 'file' | 'rows'>): ShownPaper {
  const numbers = new Map(rows.pages.map((row) => [row.page_id, row.page_number]));
  const placeOf = (row: {
    readonly ref_page_id: string | null;
    readonly bounding_box?: Box | null;
  }): Pick<PaperItem, 'pages' | 'box'> => {
    const page = numbers.get(row.ref_page_id) ?? null;
    return { pages: page === null ? [] : [page], box: row.bounding_box ?? null };
  };
  const [paper] = rows.metadata;
  const pages = [...rows.pages].sort((a, b) => (a.page_number ?? 0) - (b.page_number ?? 0));
  return {
    title: paper?.title ?? file,
    pages: pages.map((row) => ({
      width: row.page_width ?? 0,
      height: row.page_height ?? 0,
      text: row.page_content ?? '',
      unusable: null,
    })),
    passages: rows.chunks.map((row) => ({
      page: numbers.get(row.ref_page_id) ?? null,
      section: null,
      text: row.text_content ?? '',
    })),
    items: [
      frontItem([
        ['title', paper?.title],
        ['authors', paper?.authors?.join('; ')],
        ['year', paper?.pub_year],
        ['venue', paper?.conference_full],
        ['keywords', paper?.tags?.join('; ')],
        ['abstract', paper?.abstract],
        ['summary', paper?.tldr],
      ]),
      ...sectionsOfRows(rows),
      ...numbered('table', rows.tables, (row) => ({
        ...placeOf(row),
        parts: [
          ...texts([
            ['caption', row.table_caption],
            ['summary', row.table_summary],
          ]),
          { name: 'cells', form: 'html', text: row.table_content ?? '' },
        ],
      })),
      ...numbered('figure', rows.images, (row) => ({
        ...placeOf(row),
        parts: texts([
          ['caption', row.image_caption],
          ['summary', row.image_summary],
        ]),
      })),
      ...numbered('equation', rows.equations, (row) => ({
        ...placeOf(row),
        parts: [{ name: 'LaTeX', form: 'latex', text: row.equation_content ?? '' }],
      })),
      ...numbered('reference', rows.reference, (row) => ({
        ...placeOf(row),
        parts: texts([['text', row.reference_content]]),
      })),
    ],
  };
}

const sectionsOfRows = ({ sections }: PaperRows): readonly PaperItem[] =>
  numbered('section', sections, (row) => {
    const printed = row.section_title ?? '';
    const [, number = null, title = printed] =
      /^((?:\d+|[A-Z])(?:\.\d+)*)\.? +(\S.*)$/.exec(printed) ?? [];
    return {
      number,
      pages: row.page_numbers ?? [],
      box: null,
      level: number?.split('.').length ?? 1,
      parts: texts([
        ['title', title],
        ['text', row.section_content],
        ['summary', row.section_summary],
      ]),
    };
  });

const frontItem = (parts: Parameters<typeof texts>[0]): PaperItem => ({
  ...{ kind: 'front', id: 'front-1', number: null, page: 1, pages: [1], box: null, level: 1 },
  parts: texts(parts),
});

const onPage = ({ page, box }: ItemPlace): Pick<PaperItem, 'pages' | 'box'> => ({
  pages: [page],
  box,
});

type Described = Pick<PaperItem, 'pages' | 'box' | 'parts'> &
  Partial<Pick<PaperItem, 'number' | 'level'>>;

const numbered = <T>(
  kind: ItemKind,
  list: readonly T[],
  describe: (each: T) => Described,
): readonly PaperItem[] =>
  list.map((each, index) => {
    const described = describe(each);
    return {
      ...{ kind, id: `${kind}-${index + 1}`, number: null, level: 1 },
      ...{ page: described.pages[0] ?? null, ...described },
    };
  });

/** Parts that are texts, without those that are empty. */
const texts = (
  parts: readonly (readonly [name: string, text: string | number | null | undefined])[],
): readonly ItemPart[] =>
  parts.flatMap(([name, text]) => {
    const read = String(text ?? '');
    return read === '' ? [] : [{ name, form: 'text', text: read }];
  });

/** A sign that something was not found, or not whole. */
export type Doubt =
  | { readonly kind: 'page-unusable'; readonly page: number; readonly reason: string }
  /** Numbers that others of the kind lie around. */
  | { readonly kind: 'numbers-missing'; readonly of: ItemKind; readonly numbers: readonly string[] }
  /** Two items of the kind have one number. */
  | { readonly kind: 'number-twice'; readonly of: ItemKind; readonly numbers: readonly string[] }
  /** Items without a part that most items of their kind have. */
  | {
      readonly kind: 'part-missing';
      readonly of: ItemKind;
      readonly part: string;
      readonly items: readonly PaperItem[];
    };

/** What an item should have. */
const expectedParts: readonly (readonly [ItemKind, string])[] = [
  ['front', 'title'],
  ['front', 'authors'],
  ['front', 'abstract'],
  ['table', 'caption'],
  ['figure', 'caption'],
  ['reference', 'authors'],
  ['reference', 'year'],
  ['reference', 'title'],
];

export function doubtsOf({ pages, items }: ShownPaper): readonly Doubt[] {
  return [
    ...pages.flatMap(({ unusable }, index): readonly Doubt[] =>
      unusable === null ? [] : [{ kind: 'page-unusable', page: index + 1, reason: unusable }],
    ),
    ...(['section', 'table', 'figure', 'equation', 'reference'] as const).flatMap((of) =>
      numberDoubts(
        of,
        items.filter(({ kind }) => kind === of),
      ),
    ),
    ...expectedParts.flatMap(([of, part]): readonly Doubt[] => {
      const lacking = items.filter(
        ({ kind, parts }) => kind === of && !parts.some(({ name }) => name === part),
      );
      return lacking.length === 0 ? [] : [{ kind: 'part-missing', of, part, items: lacking }];
    }),
  ];
}

/** Gaps longer than this are those between the numbers of chapters or years rather than items that were missed. */
const longestGap = 20;

function numberDoubts(of: ItemKind, items: readonly PaperItem[]): readonly Doubt[] {
  const printed = items.flatMap(({ number }) => number ?? []);
  const missing = missingNumbers(printed);
  // A table that goes on over pages keeps its number.
  const twice =
    of === 'table' ? [] : printed.filter((each, index) => printed.indexOf(each) < index);
  return [
    ...(missing.length === 0 ? [] : [{ kind: 'numbers-missing', of, numbers: missing } as const]),
    ...(twice.length === 0
      ? []
      : [{ kind: 'number-twice', of, numbers: [...new Set(twice)] } as const]),
  ];
}

/** The numbers between 1 and the highest that are not there; `2.3` is counted among those that begin with `2.`. */
function missingNumbers(printed: readonly string[]): readonly string[] {
  const series = new Map<string, Set<number>>();
  for (const number of printed) {
    const [, before = '', last = ''] = /^((?:[A-Z]?\d*\.)*)(\d+)\.?$/.exec(number) ?? [];
    if (last === '') continue;
    series.set(before, (series.get(before) ?? new Set()).add(Number(last)));
  }
  return [...series].flatMap(([before, numbers]) => {
    const sorted = [0, ...numbers].sort((a, b) => a - b);
    return sorted.slice(1).flatMap((number, index) => {
      const from = sorted[index] ?? 0;
      if (number - from > longestGap) return [];
      return Array.from(
        { length: Math.max(0, number - from - 1) },
        (_, step) => `${before}${from + 1 + step}`,
      );
    });
  });
}
