import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractPaper } from '../../domain/extraction/extract-paper.js';
import { readPdf } from '../../worker/adapters/pdfium/document.js';
import type { Score } from './score.js';
import {
  cellsOfHtml,
  commonRelations,
  relationsOf,
  scoreTables,
  tableTruthSchema,
} from './table-cells.js';

/** The relations of the tables of each PDF that `tables.json` of the folder describes. */
export async function scoreTablesIn(
  folder: string,
  filter: string,
): Promise<readonly { readonly paper: string; readonly score: Score }[]> {
  const truth = tableTruthSchema.parse(
    JSON.parse(readFileSync(join(folder, 'tables.json'), 'utf8')),
  );
  const scores = [];
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
      ...without(relations, partner.relations).map((relation) => `- page ${page}: ${relation}`),
      ...without(partner.relations, relations).map((relation) => `+ page ${page}: ${relation}`),
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

/** The relations of `a` that `b` lacks. */
function without(a: readonly string[], b: readonly string[]): readonly string[] {
  const common = commonRelations(b, a);
  return commonRelations(common, a).length === a.length ? [] : remaining(a, common);
}

function remaining(a: readonly string[], common: readonly string[]): readonly string[] {
  const left = [...common];
  return a.filter((relation) => {
    const index = left.indexOf(relation);
    if (index === -1) return true;
    left.splice(index, 1);
    return false;
  });
}
