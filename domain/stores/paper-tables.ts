import { z } from 'zod';
import { paperSchema } from '../extraction/paper.js';
import { appliedParserSchema } from './paper-parsers.js';

/** The DuckDB types of a store's columns, with the TypeScript type of their values. */
export interface ValueOfType {
  readonly UUID: string;
  readonly VARCHAR: string;
  readonly INTEGER: number;
  readonly 'VARCHAR[]': readonly string[];
  readonly 'INTEGER[]': readonly number[];
  readonly 'INTEGER[4]': readonly [number, number, number, number];
}
export type ColumnType = keyof ValueOfType;

export interface ColumnSpec {
  readonly type: ColumnType;
  /** Part of the prompt, so it must describe the stored values exactly. */
  readonly description: string;
  /** How the column's cells are embedded; `none` for columns that are not. */
  readonly encode: 'none' | 'text' | 'image';
}

export interface TableSpec {
  readonly description: string;
  readonly primaryKey: string;
  readonly foreignKeys: readonly {
    readonly column: string;
    readonly table: string;
    readonly references: string;
  }[];
  /** In the order of the table's columns. */
  readonly columns: Readonly<Record<string, ColumnSpec>>;
}

const column =
  <Encode extends ColumnSpec['encode']>(encode: Encode) =>
  <Type extends ColumnType>(type: Type, description: string) => ({ type, description, encode });
const plain = column('none');
const embedded = column('text');
const pictured = column('image');

const toPaper = { column: 'ref_paper_id', table: 'metadata', references: 'paper_id' };
const toPage = { column: 'ref_page_id', table: 'pages', references: 'page_id' };
const paperKey = { ref_paper_id: plain('UUID', 'The paper it belongs to: metadata.paper_id.') };
const pageKeys = {
  ...paperKey,
  ref_page_id: plain('UUID', 'The page it stands on: pages.page_id.'),
};

const importedValue = 'NULL unless the paper was imported with one.';
const modelledValue = 'NULL unless a model or an import gave one.';
const box = pictured(
  'INTEGER[4]',
  'Where it is on the page, in PDF points: [x, y, width, height].',
);
const ordinal = (what: string) => plain('INTEGER', `Position among the ${what}, counted from 0.`);

/**
 * The eight tables of a paper store. Each table refers to earlier ones only. Names, types and keys are those of the reference
 * system.
 */
export const paperTables = {
  metadata: {
    description: 'One row per paper, with what is known about it as a whole.',
    primaryKey: 'paper_id',
    foreignKeys: [],
    columns: {
      paper_id: plain('UUID', 'Identifies the paper. Equal to pdf_id in the vectorstore.'),
      title: embedded('VARCHAR', 'Title of the paper.'),
      abstract: embedded('VARCHAR', 'Abstract as printed. NULL where none was recognised.'),
      num_pages: plain('INTEGER', 'Number of pages of the PDF.'),
      conference_full: plain(
        'VARCHAR',
        'Full name of the venue. `uncategorized` where the venue is not known.',
      ),
      conference_abbreviation: plain(
        'VARCHAR',
        'Short name of the venue, e.g. `ACL`. `uncategorized` where the venue is not known.',
      ),
      pub_year: plain('INTEGER', 'Year of publication. NULL where it is not known.'),
      volume: plain('VARCHAR', `Volume or track of the venue, e.g. \`findings\`. ${importedValue}`),
      download_url: plain(
        'VARCHAR',
        'Web address of the PDF. NULL unless page 1 names its preprint or the paper was imported with one.',
      ),
      bibtex: embedded('VARCHAR', `BibTeX entry. ${importedValue}`),
      authors: plain(
        'VARCHAR[]',
        'Names of the authors as printed, in order. Empty where none was recognised: then they may stand on page 1.',
      ),
      pdf_path: plain('VARCHAR', 'File name of the PDF the paper was read from.'),
      tldr: embedded('VARCHAR', `Summary in one sentence. ${modelledValue}`),
      tags: plain(
        'VARCHAR[]',
        'Keywords that the paper, a model or an import states; may be empty.',
      ),
    },
  },
  pages: {
    description: 'One row per page of a paper, with all text that the page holds.',
    primaryKey: 'page_id',
    foreignKeys: [toPaper],
    columns: {
      page_id: plain('UUID', 'Identifies the page.'),
      page_number: plain('INTEGER', 'Physical number of the page in its PDF, from 1.'),
      page_width: plain('INTEGER', 'Width in PDF points (1/72 inch), rounded.'),
      page_height: plain('INTEGER', 'Height in PDF points (1/72 inch), rounded.'),
      page_content: embedded('VARCHAR', 'Text of the page, complete, a line of the page a line.'),
      page_summary: embedded('VARCHAR', `Summary of the page. ${modelledValue}`),
      ...paperKey,
    },
  },
  images: {
    description:
      'One row per figure: one for each caption of a figure, with all its sub-figures, and one for each larger picture or drawing without a caption.',
    primaryKey: 'image_id',
    foreignKeys: [toPaper, toPage],
    columns: {
      image_id: plain('UUID', 'Identifies the figure.'),
      image_caption: embedded(
        'VARCHAR',
        'Caption as printed, with its label, e.g. `Figure 2: Accuracy by model.` Empty text where the figure has none.',
      ),
      image_summary: embedded('VARCHAR', `Description of what the figure shows. ${modelledValue}`),
      bounding_box: pictured(
        'INTEGER[4]',
        'Where the figure is on the page, in PDF points from the top left: [x, y, width, height], with the labels of its axes, without its caption.',
      ),
      ordinal: ordinal('figures of its page'),
      ...pageKeys,
    },
  },
  chunks: {
    description:
      'Consecutive passages of the running text, each of at most 512 characters: whole sentences of one section, where they are not longer. Headings, figures with their captions, running heads and page numbers are left out.',
    primaryKey: 'chunk_id',
    foreignKeys: [toPaper, toPage],
    columns: {
      chunk_id: plain('UUID', 'Identifies the passage.'),
      text_content: embedded(
        'VARCHAR',
        'Text of the passage, a paragraph or a line of program code a line.',
      ),
      ordinal: ordinal('passages of its page'),
      ...pageKeys,
    },
  },
  tables: {
    description:
      'One row per table printed in a paper. A table that goes on over pages has a row for the part on each page.',
    primaryKey: 'table_id',
    foreignKeys: [toPaper, toPage],
    columns: {
      table_id: plain('UUID', 'Identifies the table.'),
      table_caption: embedded(
        'VARCHAR',
        'Caption as printed, with its label (`Table 2: …`); of a part on a further page that of the first part. Empty text where none was found.',
      ),
      table_content: embedded(
        'VARCHAR',
        'Cells of the table as HTML: one `<table>` of `<tr>` with `<th>` in header rows, else `<td>`, `rowspan` and `colspan`, without caption.',
      ),
      table_summary: embedded('VARCHAR', `Summary of the content of the table. ${modelledValue}`),
      bounding_box: box,
      ordinal: ordinal('tables of its page'),
      ...pageKeys,
    },
  },
  sections: {
    description:
      'Sections of a paper, of all levels, after headings recognised by their print and its PDF outline. The abstract is in metadata. A paper in which no heading is found has no rows.',
    primaryKey: 'section_id',
    foreignKeys: [toPaper],
    columns: {
      section_id: plain('UUID', 'Identifies the section.'),
      section_title: embedded(
        'VARCHAR',
        'Heading as the paper prints it, after its number if it has one (`1 Introduction`, `2.1 Data`): compare with ILIKE. The number tells the level.',
      ),
      section_content: embedded(
        'VARCHAR',
        'Text from the heading, itself left out, to the next heading of any level: subsections have rows of their own. Figures with their captions, running heads and page numbers are left out. Empty text where a subsection follows at once.',
      ),
      section_summary: embedded('VARCHAR', `Summary of the section. ${modelledValue}`),
      ordinal: ordinal('sections of the paper'),
      page_numbers: plain('INTEGER[]', 'Numbers of the pages the section covers.'),
      ...paperKey,
    },
  },
  equations: {
    description:
      'One row per displayed formula; rows of one display are one formula. Its characters also stand in sections and chunks.',
    primaryKey: 'equation_id',
    foreignKeys: [toPaper, toPage],
    columns: {
      equation_id: plain('UUID', 'Identifies the equation.'),
      equation_content: embedded(
        'VARCHAR',
        'The equation, as LaTeX as near as the print allows, without its number.',
      ),
      ordinal: ordinal('equations of its page'),
      ...pageKeys,
    },
  },
  reference: {
    description:
      'One row per entry of the list of references, in its order. Its page is the one on which the entry begins.',
    primaryKey: 'reference_id',
    foreignKeys: [toPaper, toPage],
    columns: {
      reference_id: plain('UUID', 'Identifies the entry.'),
      reference_content: embedded(
        'VARCHAR',
        'The entry as printed, on one line, without its number or key.',
      ),
      ordinal: ordinal('entries of the paper'),
      ...pageKeys,
    },
  },
} as const satisfies Readonly<Record<string, TableSpec>>;

export type PaperTableName = keyof typeof paperTables;

/** A row of one table; a cell is null when the paper does not state its value. */
export type PaperRow<Table extends PaperTableName> = {
  readonly [Column in keyof (typeof paperTables)[Table]['columns']]: ColumnValue<
    (typeof paperTables)[Table]['columns'][Column]
  > | null;
};
type ColumnValue<Column> = Column extends { readonly type: infer Type extends ColumnType }
  ? ValueOfType[Type]
  : never;

/** The rows of one paper, in every table. */
export type PaperRows = { readonly [Table in PaperTableName]: readonly PaperRow<Table>[] };

/** Raise it when tables, columns or the derivation of rows change: stores with another version are rebuilt. */
export const paperSchemaVersion = 2;

/** Raise it when extraction gives another result for the same PDF: papers with another version are read again. */
export const extractionVersion = 5;

/** The extracted content of a PDF. */
export const extractedPaperSchema = z.object({
  version: z.literal(extractionVersion),
  /** File name of the PDF. */
  file: z.string(),
  /** The path of the PDF when it was read. */
  path: z.string(),
  /** SHA-256 of the PDF's bytes, in hex. */
  sha256: z.string().length(64),
  /** Other parsers whose parts the paper has, in the order in which they were put into it; absent where there are none. */
  parsers: z.array(appliedParserSchema).optional(),
  paper: paperSchema,
});
export type ExtractedPaper = Readonly<z.infer<typeof extractedPaperSchema>>;

const cellSchemas: Readonly<Record<ColumnType, z.ZodType>> = {
  UUID: z.guid(),
  VARCHAR: z.string(),
  INTEGER: z.int(),
  'VARCHAR[]': z.array(z.string()),
  'INTEGER[]': z.array(z.int()),
  'INTEGER[4]': z.tuple([z.int(), z.int(), z.int(), z.int()]),
};

const rowSchema = ({ columns }: TableSpec): z.ZodType =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(columns).map(([column, { type }]) => [column, cellSchemas[type].nullable()]),
    ),
  );

/** Of the rows of each table: every cell fits its column. */
export const paperRowSchemas = Object.fromEntries(
  Object.entries(paperTables).map(([table, spec]) => [table, rowSchema(spec)]),
) as unknown as Readonly<Record<PaperTableName, z.ZodType>>; // the keys of the literal

/** Every table is there. */
const paperRowsSchema = z.strictObject(
  Object.fromEntries(Object.entries(paperRowSchemas).map(([table, row]) => [table, z.array(row)])),
) as unknown as z.ZodType<PaperRows>; // made from the tables that the type is made from

/** The rows of a paper that another system has read. */
export const importedPaperSchema = z.object({
  imported: z.literal(1),
  /** File name of the PDF, whether or not it is there. */
  file: z.string(),
  /** The path of the PDF when it was imported; null where the import had none. */
  path: z.string().nullable(),
  /** SHA-256 of the PDF's bytes, in hex; without a PDF, that of the rows. */
  sha256: z.string().length(64),
  /** With the ids that they had. */
  rows: paperRowsSchema,
});
export type ImportedPaper = Readonly<z.infer<typeof importedPaperSchema>>;

/** `papers/SHA256.json`: what the rows of a paper are made from. */
export const keptPaperSchema = z.union([extractedPaperSchema, importedPaperSchema]);
export type KeptPaper = ExtractedPaper | ImportedPaper;
