import { z } from 'zod';
import { paperSchema } from '../extraction/paper.js';
import { appliedParserSchema } from './paper-parsers.js';
import {
  paperTables,
  type ColumnType,
  type PaperRows,
  type PaperTableName,
  type TableSpec,
} from './paper-tables.js';

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
