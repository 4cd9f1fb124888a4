import { v5 as uuid5 } from 'uuid';
import { truncateTokens } from '../models/tokens.js';
import type { Paper } from '../extraction/paper.js';
import type { Section } from '../scoring/delimited-sections.js';

/**
 * What models are asked about. `scans` are the pages without usable text, of which a model reads the text; the others are
 * called after the tables whose columns the replies fill.
 */
export const enrichmentKinds = [
  'scans',
  'pages',
  'sections',
  'tables',
  'images',
  'metadata',
] as const;
export type EnrichmentKind = (typeof enrichmentKinds)[number];

/** A part of a page. `box` as `paper.ts` has it; empty for the whole page. */
export interface PagePart {
  /** From 1. */
  readonly page: number;
  readonly box: readonly number[];
}

/** Something that a model is asked about. */
export interface Item {
  readonly kind: EnrichmentKind;
  /** 32 hexadecimal digits: a hash of the kind and of what is sent. It stays as long as extraction finds the same. */
  readonly key: string;
  /** Empty for `scans`, which are sent as a picture only. */
  readonly texts: readonly Section[];
  /** What a picture of it shows; null where there is none. */
  readonly picture: PagePart | null;
}

/** A shorter text is its own summary, and its column stays NULL. In characters, as in the reference system. */
const longestShort = 50;

/** Longer texts are cut. It is ten pages, and fits into the context of every model with a price (models/prices.ts). */
const mostTokens = 12_000;

/** The UUID namespace of keys: an arbitrary constant. */
const namespace = 'c1e4f7a2-5d0b-4b1a-9a63-3f8e2d7b6c95';

/** 32 hexadecimal digits. */
export const hashOf = (...parts: readonly unknown[]): string =>
  uuid5(JSON.stringify(parts), namespace).replaceAll('-', '');

/**
 * Everything in a paper that a model can be asked about. An item keeps its place: null stands where there is nothing to ask.
 * @param kept - as it was extracted
 * @param read - the same with the text of scanned pages, as far as models have read them
 */
export const itemsOf = (kept: Paper, read: Paper): readonly (Item | null)[] => [
  ...kept.pages.map((page, index) => (isScan(page) ? scanItem(index + 1) : null)),
  ...read.pages.map(({ text }) => textItem('pages', [{ label: 'page', text }])),
  ...read.sections.map(({ title, text }) =>
    textItem('sections', [
      { label: 'title', text: title },
      { label: 'section', text },
    ]),
  ),
  ...read.tables.map(({ caption, html, page, box }) =>
    textItem(
      'tables',
      [
        { label: 'caption', text: caption },
        { label: 'table', text: html },
      ],
      { page, box },
    ),
  ),
  ...read.figures.map(({ caption, page, box }) => imageItem(caption, { page, box })),
  metadataItem(read),
];

/** Whether a page has no text that can be used. */
export const isScan = ({ text, unusable }: Paper['pages'][number]): boolean =>
  unusable !== null || text.trim() === '';

/** The last text is what is summarised; the others help to understand it. */
function textItem(
  kind: EnrichmentKind,
  sections: readonly Section[],
  picture: PagePart | null = null,
): Item | null {
  const text = sections.at(-1)?.text.trim() ?? '';
  if (Array.from(text).length <= longestShort) return null;
  const texts = sections
    .map((section) => ({ ...section, text: truncateTokens(section.text.trim(), mostTokens) }))
    .filter((section) => section.text !== '');
  return { kind, key: hashOf(kind, texts), texts, picture };
}

const scanItem = (page: number): Item => ({
  kind: 'scans',
  key: hashOf('scans', page),
  texts: [],
  picture: { page, box: [] },
});

/** Whole points, so that the key outlives a rounding error. */
function imageItem(caption: string, { page, box }: PagePart): Item {
  const texts = caption === '' ? [] : [{ label: 'caption', text: caption }];
  const key = hashOf('images', texts, page, box.map(Math.round));
  return { kind: 'images', key, texts, picture: { page, box } };
}

/** Where the paper has no abstract, its first page stands for it. */
function metadataItem({ title, abstract, keywords, pages }: Paper): Item | null {
  const about =
    abstract === null
      ? { label: 'first page', text: pages[0]?.text ?? '' }
      : { label: 'abstract', text: abstract };
  return textItem('metadata', [
    { label: 'title', text: title ?? '' },
    { label: 'keywords', text: keywords.join('; ') },
    about,
  ]);
}
