import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { tableRows } from '../../client/views/paper/paper-text.js';
import { extractPaper } from '../../domain/extraction/extract-paper.js';
import { readPdf } from '../../worker/adapters/pdfium/document.js';
import { divide } from './compare.js';
import type { PaperScore, Score } from './report.js';

/** A cell of a table. Rows and columns are counted from 0; a cell that spans more ends in the `last` ones. */
const cellSchema = z.object({
  row: z.int(),
  column: z.int(),
  last_row: z.int(),
  last_column: z.int(),
  text: z.string(),
});
type Cell = Readonly<z.infer<typeof cellSchema>>;

/** `tables.json`: the true cells of the tables of some PDFs, which lie in the same folder. */
const tableTruthSchema = z.object({
  table_cells: z.array(
    z.object({
      id: z.string(),
      file: z.string(),
      tables: z.array(z.object({ page: z.int(), cells: z.array(cellSchema) })),
    }),
  ),
});

/** The cells of the body that extraction gives for a table. */
export function cellsOfHtml(html: string): readonly Cell[] {
  const taken = new Set<string>();
  return tableRows(html).flatMap((cells, row) => {
    let column = 0;
    return cells.map(({ text, rows, columns }): Cell => {
      while (taken.has(`${row} ${column}`)) column += 1;
      const last = { last_row: row + rows - 1, last_column: column + columns - 1 };
      const cell = { row, column, ...last, text };
      for (const [y, x] of placesOf(cell)) taken.add(`${y} ${x}`);
      return cell;
    });
  });
}

const placesOf = ({
  row,
  column,
  last_row,
  last_column,
}: Cell): readonly (readonly [number, number])[] =>
  range(row, last_row).flatMap((y) => range(column, last_column).map((x) => [y, x] as const));

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/**
 * The adjacency relations of a table as in the table competition of ICDAR 2013: each cell with text and its nearest cell with text to
 * the right and below, by their texts without whitespace. A relation may occur several times.
 */
export function relationsOf(cells: readonly Cell[]): readonly string[] {
  const filled = cells.filter(({ text }) => plain(text) !== '');
  const grid = new Map<string, Cell>();
  for (const cell of filled) {
    for (const [row, column] of placesOf(cell)) grid.set(`${row} ${column}`, cell);
  }
  const height = Math.max(...filled.map(({ last_row }) => last_row));
  const width = Math.max(...filled.map(({ last_column }) => last_column));
  return filled.flatMap((cell) => {
    const right = range(cell.row, cell.last_row).map((row) =>
      range(cell.last_column + 1, width).map((column) => grid.get(`${row} ${column}`)),
    );
    const below = range(cell.column, cell.last_column).map((column) =>
      range(cell.last_row + 1, height).map((row) => grid.get(`${row} ${column}`)),
    );
    const nearest = (lines: readonly (readonly (Cell | undefined)[])[]): readonly Cell[] => [
      ...new Set(lines.flatMap((line) => line.find((other) => other !== undefined) ?? [])),
    ];
    return [
      ...nearest(right).map((other) => `${plain(cell.text)} → ${plain(other.text)}`),
      ...nearest(below).map((other) => `${plain(cell.text)} ↓ ${plain(other.text)}`),
    ];
  });
}

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\s\u00AD]/g, '')
    .replace(/[‐‑‒–—−]/g, '-')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"');

/** The relations of two tables that agree, each counted as often as both have it. */
export const commonRelations = (a: readonly string[], b: readonly string[]): readonly string[] =>
  divide(b, a).common;

/**
 * The relations that agree when each true table is compared with at most one found table, the pairs with most in common first. Tables
 * without a partner count in full, as missed or as wrong.
 */
export function scoreTables(
  truth: readonly (readonly string[])[],
  found: readonly (readonly string[])[],
): readonly { readonly truth: number; readonly found: number; readonly right: number }[] {
  const pairs = truth
    .flatMap((a, truthIndex) =>
      found.map((b, foundIndex) => ({
        truth: truthIndex,
        found: foundIndex,
        right: commonRelations(a, b).length,
      })),
    )
    .filter(({ right }) => right > 0)
    .sort((a, b) => b.right - a.right);
  const usedTruth = new Set<number>();
  const usedFound = new Set<number>();
  return pairs.filter((pair) => {
    if (usedTruth.has(pair.truth) || usedFound.has(pair.found)) return false;
    usedTruth.add(pair.truth);
    usedFound.add(pair.found);
    return true;
  });
}

/** The relations of the tables of each PDF that `tables.json` of the folder describes. */
export async function scoreTablesIn(
  folder: string,
  filter: string,
): Promise<readonly PaperScore[]> {
  const truth = tableTruthSchema.parse(
    JSON.parse(readFileSync(join(folder, 'tables.json'), 'utf8')),
  );
  const scores: PaperScore[] = [];
  for (const { id, file, tables } of truth.table_cells) {
    if (!id.includes(filter)) continue;
    const reading = await readPdf(readFileSync(join(folder, file)));
    const found = reading.kind === 'read' ? extractPaper(reading.content).tables : [];
    scores.push({
      paper: id,
      score: scoreDocument(
        tables.map(({ page, cells }) => ({ page, relations: relationsOf(cells) })),
        found.map(({ page, html }) => ({ page, relations: relationsOf(cellsOfHtml(html)) })),
      ),
    });
  }
  return scores;
}

interface Table {
  readonly page: number;
  readonly relations: readonly string[];
}

function scoreDocument(truth: readonly Table[], found: readonly Table[]): Score {
  const pairs = scoreTables(
    truth.map(({ relations }) => relations),
    found.map(({ relations }) => relations),
  );
  const count = (tables: readonly Table[]): number =>
    tables.reduce((sum, { relations }) => sum + relations.length, 0);
  const missed = truth.flatMap(({ page, relations }, index) => {
    const partner = found[pairs.find((pair) => pair.truth === index)?.found ?? -1];
    if (partner === undefined)
      return [`- the table of page ${page}: ${relations.length} relations`];
    return [
      ...divide(relations, partner.relations).rest.map((missing) => `- page ${page}: ${missing}`),
      ...divide(partner.relations, relations).rest.map((wrong) => `+ page ${page}: ${wrong}`),
    ];
  });
  const extra = found
    .filter((_, index) => !pairs.some((pair) => pair.found === index))
    .map(({ page, relations }) => `+ a table on page ${page}: ${relations.length} relations`);
  return {
    right: pairs.reduce((sum, { right }) => sum + right, 0),
    expected: count(truth),
    found: count(found),
    faults: [...missed, ...extra],
  };
}
