import type { DatabaseTable } from '../../../../domain/stores/database.js';

const column = (name: string, type: string) => ({
  name,
  type,
  nullable: name !== 'id',
  description: '',
});

/** Two tables, of which one refers to the other. */
export const boats: readonly DatabaseTable[] = [
  {
    ...{ name: 'boats', description: '', rows: 0, primaryKey: ['id'], foreignKeys: [] },
    columns: [column('id', 'INTEGER'), column('class', 'VARCHAR')],
  },
  {
    ...{ name: 'races', description: '', rows: 0, primaryKey: ['id'] },
    columns: [column('id', 'INTEGER'), column('boat', 'INTEGER'), column('sailed', 'DATE')],
    foreignKeys: [{ columns: ['boat'], table: 'boats', references: ['id'] }],
  },
];
