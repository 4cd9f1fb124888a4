import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { PaperImportsPort } from '../../../activities/ports/imports.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { firstIssue, jsonIn } from '../../../domain/formats/json.js';
import { bm25Schema } from '../../../domain/stores/bm25.js';
import type { FoundPaper, ImportSource } from '../../../domain/stores/imports/import-papers.js';
import { nullIfAbsent } from '../../../storage/atomic-file.js';
import { rowsOf } from '../duckdb/stored-tables.js';
import { papersIn, withReferenceTables } from './reference-tables.js';

/** Data in the formats of the reference system, from files. Nothing is written beside them. */
export function createFilePaperImports(): PaperImportsPort {
  return {
    papers: async ({ database, folders }) => {
      const inTables =
        database === null
          ? { papers: [], gaps: [] }
          : await withReferenceTables(database, (connection) => papersIn(connection, database));
      const described = await filesIn(folders, 'processed_data', '.json');
      const papers = new Set([...inTables.papers, ...described.keys()]);
      return { papers: [...papers].sort(), gaps: inTables.gaps };
    },
    read: async ({ database, folders }, papers) => {
      const ids = papers.filter((paper) => guid.test(paper));
      const rows =
        database === null
          ? new Map<string, never>()
          : await withReferenceTables(database, (connection) => rowsOf(connection, ids));
      const [processed, metadata, pdfs] = await Promise.all([
        filesIn(folders, 'processed_data', '.json'),
        filesIn(folders, 'metadata', '.json'),
        filesIn(folders, 'papers', '.pdf'),
      ]);
      const found: FoundPaper[] = [];
      for (const paperId of papers) {
        found.push({
          paperId,
          rows: rows.get(paperId) ?? null,
          processed: await textAt(processed.get(paperId)),
          metadata: await textAt(metadata.get(paperId)),
          pdf: pdfs.get(paperId) ?? null,
        });
      }
      return found;
    },
    bm25: async (path) => {
      const model = bm25Schema.safeParse(jsonIn((await textAt(path)) ?? ''));
      if (model.success) return model.data;
      const reason = firstIssue(model.error);
      throw new PortFailure('UnreadableImport', `${path} is no fitted BM25 model: ${reason}`);
    },
  };
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The paths of files in a folder of some folders and below, by their name without ending; the first one counts. */
async function filesIn(
  folders: ImportSource['folders'],
  name: string,
  ending: string,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const root = join(folder, name);
    const names = (await readdir(root, { recursive: true }).catch(nullIfAbsent)) ?? [];
    for (const file of names.sort()) {
      if (extname(file).toLowerCase() !== ending) continue;
      const id = basename(file, extname(file)).toLowerCase();
      if (!files.has(id)) files.set(id, join(root, file));
    }
  }
  return files;
}

const textAt = async (path: string | undefined): Promise<string | null> =>
  path === undefined ? null : readFile(path, 'utf8').catch(nullIfAbsent);
