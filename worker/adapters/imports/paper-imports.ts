import { readFile } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { PaperImportsPort } from '../../../activities/ports/imports.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { firstIssue, jsonIn } from '../../../domain/formats/json.js';
import { bm25Schema } from '../../../domain/stores/bm25.js';
import type { GivenImport, GivenPart } from '../../../domain/stores/imports/given-import.js';
import type { FoundPaper } from '../../../domain/stores/imports/import-papers.js';
import type { Ingestion } from '../../../domain/stores/ingestion.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import { readGivenImport } from '../../../storage/stores/import-uploads.js';
import type { LocalCopies } from '../../../storage/stores/local-copies.js';
import { rowsOf } from '../duckdb/stored-tables.js';
import { papersIn, withReferenceTables } from './reference-tables.js';

/** Data in the formats of the reference system, from copies in the storage. Nothing is written beside them. */
export function createPaperImports(storage: ObjectStorage, copies: LocalCopies): PaperImportsPort {
  const fileOf = ({ copy, ...content }: GivenPart): Promise<string> => copies.file(copy, content);
  const textOf = async (part: GivenPart | undefined): Promise<string | null> =>
    part === undefined ? null : readFile(await fileOf(part), 'utf8');

  const withTables = async <T>(
    database: GivenPart,
    work: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T> =>
    withReferenceTables({ file: await fileOf(database), name: database.given }, work);

  async function givenTo(ingestion: Ingestion): Promise<GivenImport> {
    const given = await readGivenImport(storage, ingestion);
    if (given !== null) return given;
    throw new PortFailure('IngestionLost', 'What was to be imported is lost: import it again.');
  }

  return {
    papers: async (ingestion) => {
      const { database, processed } = await givenTo(ingestion);
      const inTables =
        database === null
          ? { papers: [], gaps: [] }
          : await withTables(database, (connection) => papersIn(connection, database.given));
      const papers = new Set([...inTables.papers, ...Object.keys(processed)]);
      return { papers: [...papers].sort(), gaps: inTables.gaps };
    },
    read: async (ingestion, papers) => {
      const { database, processed, metadata, pdfs } = await givenTo(ingestion);
      const ids = papers.filter((paper) => guid.test(paper));
      const rows =
        database === null
          ? new Map<string, never>()
          : await withTables(database, (connection) => rowsOf(connection, ids));
      const found: FoundPaper[] = [];
      for (const paperId of papers) {
        const pdf = pdfs[paperId];
        found.push({
          paperId,
          rows: rows.get(paperId) ?? null,
          processed: await textOf(processed[paperId]),
          metadata: await textOf(metadata[paperId]),
          pdf: pdf === undefined ? null : await fileOf(pdf),
        });
      }
      return found;
    },
    bm25: async (ingestion) => {
      const given = (await readGivenImport(storage, ingestion))?.bm25 ?? null;
      if (given === null) return null;
      const model = bm25Schema.safeParse(jsonIn((await textOf(given)) ?? ''));
      if (model.success) return model.data;
      const reason = firstIssue(model.error);
      throw new PortFailure(
        'UnreadableImport',
        `${given.given} is no fitted BM25 model: ${reason}`,
      );
    },
  };
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
