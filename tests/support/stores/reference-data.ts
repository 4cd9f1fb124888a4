import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { PaperRows } from '../../../domain/stores/paper-tables.js';

const toPaper = 'ref_paper_id UUID, FOREIGN KEY (ref_paper_id) REFERENCES metadata(paper_id)';
const toPage = `ref_paper_id UUID, ref_page_id UUID, FOREIGN KEY (ref_paper_id) REFERENCES metadata(paper_id),
  FOREIGN KEY (ref_page_id) REFERENCES pages(page_id)`;

/** The tables of the reference system. */
export const referenceTables: readonly string[] = [
  `CREATE TABLE metadata (paper_id UUID PRIMARY KEY, title VARCHAR, abstract VARCHAR, num_pages INTEGER,
    conference_full VARCHAR, conference_abbreviation VARCHAR, pub_year INTEGER, volume VARCHAR,
    download_url VARCHAR, bibtex VARCHAR, authors VARCHAR[], pdf_path VARCHAR, tldr VARCHAR, tags VARCHAR[])`,
  `CREATE TABLE pages (page_id UUID PRIMARY KEY, page_number INTEGER, page_width INTEGER,
    page_height INTEGER, page_content VARCHAR, page_summary VARCHAR, ${toPaper})`,
  `CREATE TABLE images (image_id UUID PRIMARY KEY, image_caption VARCHAR, image_summary VARCHAR,
    bounding_box INTEGER[4], ordinal INTEGER, ${toPage})`,
  `CREATE TABLE chunks (chunk_id UUID PRIMARY KEY, text_content VARCHAR, ordinal INTEGER, ${toPage})`,
  `CREATE TABLE tables (table_id UUID PRIMARY KEY, table_caption VARCHAR, table_content VARCHAR,
    table_summary VARCHAR, bounding_box INTEGER[4], ordinal INTEGER, ${toPage})`,
  `CREATE TABLE sections (section_id UUID PRIMARY KEY, section_title VARCHAR, section_content VARCHAR,
    section_summary VARCHAR, ordinal INTEGER, page_numbers INTEGER[], ${toPaper})`,
  `CREATE TABLE equations (equation_id UUID PRIMARY KEY, equation_content VARCHAR, ordinal INTEGER, ${toPage})`,
  `CREATE TABLE reference (reference_id UUID PRIMARY KEY, reference_content VARCHAR, ordinal INTEGER, ${toPage})`,
];

/** Without keys, so that rows may be broken. */
export const tablesWithoutKeys: readonly string[] = referenceTables.map((statement) =>
  statement
    .replaceAll(' PRIMARY KEY', '')
    .replaceAll(/,\s+FOREIGN KEY \(\w+\) REFERENCES \w+\(\w+\)/g, ''),
);

/** The statements that insert rows. */
export const insertsOf = (rows: PaperRows): readonly string[] =>
  Object.entries<readonly object[]>(rows).flatMap(([table, list]) =>
    list.map((row) => {
      const cells = Object.values(row).map(literal).join(', ');
      return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${cells})`;
    }),
  );

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** Makes a DuckDB file. */
export async function writeDuckdb(path: string, statements: readonly string[]): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

/** Writes files of a data set by their paths in it. */
export function writeDataSet(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.isBuffer(content) ? content : JSON.stringify(content));
  }
}
