import { z } from 'zod';

/** What extraction finds in a paper. Pages are counted from 1; boxes are those of `page-content.ts`. */

const boxSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly();
const pageNumber = z.int().positive();

/** A place on a page. */
const placeSchema = z.object({ page: pageNumber, box: boxSchema });
export type Place = Readonly<z.infer<typeof placeSchema>>;

/** The place of an item that another parser may give without its box. */
const itemPlaceSchema = placeSchema.extend({
  /** Null where the parser does not tell it, and the PDF has no such item. */
  box: boxSchema.nullable(),
});
export type ItemPlace = Readonly<z.infer<typeof itemPlaceSchema>>;

const paperPageSchema = z.object({
  width: z.number(),
  height: z.number(),
  /** All text of the page in reading order, a line of the page a line. */
  text: z.string(),
  /** Why the text cannot be used; null if it can. */
  unusable: z.string().nullable(),
});

const sectionSchema = z.object({
  /** As printed, without the number, e.g. `Related work`. */
  title: z.string(),
  /** As printed, e.g. `2.1` or `A`; null where the heading has none. */
  number: z.string().nullable(),
  /** From 1. */
  level: z.int().positive(),
  /** The index of the section that it belongs to; null at the top. */
  parent: z.int().nonnegative().nullable(),
  /** From the heading, itself left out, to the next heading of any level. */
  text: z.string(),
  /** The pages with the heading or a part of the text. */
  pages: z.array(pageNumber),
});
export type Section = Readonly<z.infer<typeof sectionSchema>>;

const tableSchema = itemPlaceSchema.extend({
  /** As printed, with its label, e.g. `Table 2: Accuracy by model.`; empty where it has none. */
  caption: z.string(),
  /** As printed, e.g. `2`; null where it has none. */
  number: z.string().nullable(),
  /** `<table>` with `<tr>`, `<th>`, `<td>`, `rowspan` and `colspan`. */
  html: z.string(),
});
export type PaperTable = Readonly<z.infer<typeof tableSchema>>;

const figureSchema = itemPlaceSchema.extend({
  caption: z.string(),
  number: z.string().nullable(),
});
export type PaperFigure = Readonly<z.infer<typeof figureSchema>>;

const equationSchema = itemPlaceSchema.extend({
  /** The characters as the PDF has them. */
  text: z.string(),
  /** As near as the print allows. */
  latex: z.string(),
  /** As printed, e.g. `3`; null where it has none. */
  number: z.string().nullable(),
});
export type PaperEquation = Readonly<z.infer<typeof equationSchema>>;

const referenceSchema = itemPlaceSchema.extend({
  /** The entry as printed, on one line, without its label. */
  text: z.string(),
  /** `[12]` or `[Smi99]` without brackets; null where entries have none. */
  label: z.string().nullable(),
  /** Empty where they cannot be told. */
  authors: z.array(z.string()),
  year: z.int().nullable(),
  title: z.string().nullable(),
});
export type PaperReference = Readonly<z.infer<typeof referenceSchema>>;

/** A place in the text that names a reference. */
const citationSchema = z.object({
  page: pageNumber,
  /** As printed, e.g. `[12]` or `Smith et al. (1999)`. */
  text: z.string(),
  /** Index of the reference. */
  reference: z.int().nonnegative(),
});
export type Citation = Readonly<z.infer<typeof citationSchema>>;

const footnoteSchema = placeSchema.extend({
  /** As printed; empty where small print at the foot of page 1 has none. */
  mark: z.string(),
  text: z.string(),
});
export type Footnote = Readonly<z.infer<typeof footnoteSchema>>;

const chunkSchema = z.object({
  page: pageNumber,
  /** Index of the section; null before the first one. */
  section: z.int().nonnegative().nullable(),
  text: z.string(),
});
export type Chunk = Readonly<z.infer<typeof chunkSchema>>;

/** What page 1 says about the paper. Texts are null and lists empty where it does not say it. */
const frontMatterSchema = z.object({
  /** With its subtitle. */
  title: z.string().nullable(),
  subtitle: z.string().nullable(),
  authors: z.array(z.string()),
  affiliations: z.array(z.string()),
  abstract: z.string().nullable(),
  keywords: z.array(z.string()),
  year: z.int().nullable(),
  venue: z.string().nullable(),
  doi: z.string().nullable(),
  arxivId: z.string().nullable(),
});
export type FrontMatter = Readonly<z.infer<typeof frontMatterSchema>>;

export const paperSchema = frontMatterSchema.extend({
  pages: z.array(paperPageSchema).min(1),
  sections: z.array(sectionSchema),
  tables: z.array(tableSchema),
  figures: z.array(figureSchema),
  equations: z.array(equationSchema),
  references: z.array(referenceSchema),
  citations: z.array(citationSchema),
  footnotes: z.array(footnoteSchema),
  chunks: z.array(chunkSchema),
});
export type Paper = Readonly<z.infer<typeof paperSchema>>;
