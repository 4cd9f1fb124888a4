import { PortFailure } from '../../activities/ports/port-failure.js';
import type { PaperTextsPort } from '../../activities/ports/paper-texts.js';
import type { TablesPort } from '../../activities/ports/tables.js';
import type { StoreName } from '../../domain/ids.js';
import type { PaperText } from '../../domain/questions/paper-context.js';

const timeoutMs = 30_000;
/** Sections or pages of one paper; the adapter's limit of characters comes first. */
const maxRows = 10_000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Papers' texts from a store's tables. */
export function createPaperTextsInTables(tables: TablesPort): PaperTextsPort {
  return {
    titles: (request, signal) => column('title', request, signal),
    texts: async ({ store, papers }, signal) => {
      const [titles, abstracts] = await Promise.all([
        column('title', { store, papers }, signal),
        column('abstract', { store, papers }, signal),
      ]);
      return Promise.all(
        papers
          .filter((paper) => uuid.test(paper) && titles.has(paper))
          .map(async (paper): Promise<PaperText> => {
            const [sections, pages] = await Promise.all([
              rows(
                store,
                `SELECT section_title, section_content FROM sections WHERE ref_paper_id = '${paper}' ORDER BY ordinal`,
                signal,
              ),
              rows(
                store,
                `SELECT page_content FROM pages WHERE ref_paper_id = '${paper}' ORDER BY page_number`,
                signal,
              ),
            ]);
            return {
              title: titles.get(paper) ?? '',
              abstract: abstracts.get(paper) ?? '',
              sections: sections.map(([title = '', text = '']) => ({ title, text })),
              pages: pages.map(([text = '']) => text),
            };
          }),
      );
    },
  };

  function column(
    columnName: string,
    { store, papers }: Parameters<PaperTextsPort['titles']>[0],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const primaryKeys = papers.filter((paper) => uuid.test(paper));
    return tables.texts({ store, tableName: 'metadata', columnName, primaryKeys }, signal);
  }

  async function rows(
    store: StoreName,
    sql: string,
    signal: AbortSignal,
  ): Promise<readonly (readonly string[])[]> {
    const outcome = await tables.query({ store, sql, maxRows, timeoutMs }, signal);
    if (outcome.kind === 'rows') {
      return outcome.result.rows.map((row) =>
        row.map((cell) => (typeof cell === 'string' ? cell : '')),
      );
    }
    const reason = outcome.kind === 'sql-error' ? outcome.message : 'it took too long';
    throw new PortFailure('StoreUnavailable', `Store ${store} cannot tell its papers: ${reason}`);
  }
}
