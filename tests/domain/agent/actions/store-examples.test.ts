import { describe, expect, it } from 'vitest';
import { actionSpecs } from '../../../../domain/agent/actions/action-specs.js';
import { examplesOver } from '../../../../domain/agent/actions/store-examples.js';
import { renderActionSpace } from '../../../../domain/agent/actions/action-formats.js';
import { actionNames } from '../../../../domain/agent/actions/action.js';
import { bm25Collection, type Collection } from '../../../../domain/stores/store-manifest.js';
import { databaseIdSchema, type StoredDatabase } from '../../../../domain/stores/database.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';

const { store } = exampleManifest();
const column = (name: string) => ({ name, type: 'VARCHAR', nullable: true, description: '' });
const database: StoredDatabase = {
  id: databaseIdSchema.parse('0'.repeat(32)),
  ...{ name: 'library', sha256: 'a'.repeat(64) },
  tables: [
    {
      ...{
        name: 'book',
        description: '',
        rows: 2,
        primaryKey: ['isbn', 'copy no'],
        foreignKeys: [],
      },
      columns: [{ ...column('year'), type: 'INTEGER' }, column('title'), column('isbn')],
    },
  ],
  searched: [{ table: 'book', key: ['isbn', 'copy no'], columns: ['title'] }],
};
const paper = 'ebc06ce7-ad32-5b40-b1fe-1597d0533350';

describe('the examples of a prompt', () => {
  it('name a paper and the collections of the store', () => {
    for (const format of ['markdown', 'json', 'xml', 'yaml'] as const) {
      const space = renderActionSpace(actionNames, format, { ...store, paper });
      expect(space).toContain(paper);
      expect(space).toContain('text_hashing_384');
      expect(space).not.toMatch(/p-17|text_by_meaning|minilm/);
    }
  });

  it('search by words where the store has no other collection', () => {
    const only: readonly Collection[] = [{ ...bm25Collection, rows: 1 }];
    const text = JSON.stringify(
      examplesOver(actionSpecs.RetrieveFromVectorstore, { collections: only }),
    );
    expect(text.match(/text_bm25_en/g)).toHaveLength(2);
  });

  it('name tables, columns and keys of a database', () => {
    const over = { ...store, database };
    expect(
      examplesOver(actionSpecs.RetrieveFromDatabase, over).map(({ action }) => action),
    ).toEqual([
      {
        kind: 'RetrieveFromDatabase',
        sql: 'SELECT title, count(*) AS n FROM book GROUP BY title ORDER BY n DESC LIMIT 10;',
      },
      {
        kind: 'RetrieveFromDatabase',
        sql: `SELECT * FROM book WHERE CAST(isbn AS VARCHAR) = '17' AND CAST("copy no" AS VARCHAR) = '18';`,
      },
    ]);
    expect(examplesOver(actionSpecs.RetrieveFromVectorstore, over)).toMatchObject([
      { action: { table_name: 'book', column_name: 'title', collection_name: 'text_bm25_en' } },
      { action: { table_name: 'book', column_name: 'title', collection_name: 'text_hashing_384' } },
    ]);
  });
});
