import { describe, expect, it } from 'vitest';
import { databaseTableSchema } from '../../../domain/stores/database.js';
import { birdNotes, unknownIn, withNotes } from '../../../domain/stores/database-import.js';

const tables = [
  databaseTableSchema.parse({
    ...{ name: 'Loans', rows: 1, primaryKey: [], foreignKeys: [] },
    columns: ['due', 'Fee'].map((name) => ({
      name,
      type: 'DATE',
      nullable: true,
      description: 'old',
    })),
  }),
];

describe('the descriptions beside a database', () => {
  it('describe tables and columns of any case, and the last one that says something wins', () => {
    const note = (description: string, due: string) => ({
      tables: { LOANS: { description, columns: { Due: { description: due } } } },
    });
    const [noted] = withNotes(tables, [note('one', 'first'), note('two', ' '), note('', 'third')]);
    expect(noted?.description).toBe('two');
    expect(noted?.columns.map(({ description }) => description)).toEqual(['third', 'old']);
  });

  it('name what the database does not have', () => {
    const columns = { due: { description: 'x' }, paid: { description: 'y' } };
    const said = {
      tables: { loans: { description: '', columns }, books: { description: '', columns } },
    };
    expect(unknownIn(said, tables)).toEqual(['loans.paid', 'books']);
    const keys = { primary_key: ['number'], foreign_keys: { due: 'days.day', fee: 'loans' } };
    const keyed = { tables: { loans: { description: '', columns: {}, ...keys } } };
    expect(unknownIn(keyed, tables)).toEqual(['loans.number', 'days']);
  });

  it('are read from the files of BIRD, which repeat the name of a column', () => {
    expect(
      birdNotes('loans', [
        [
          'original_column_name ',
          'column_name',
          'column_description',
          'data_format',
          'value_description',
        ],
        [' due', 'due', 'day of return', 'date', 'NULL: not lent'],
        ['Fee', 'late fee', 'late fee', 'real'],
      ]),
    ).toEqual({
      tables: {
        loans: {
          description: '',
          columns: {
            due: { description: 'day of return; NULL: not lent' },
            Fee: { description: 'late fee' },
          },
        },
      },
    });
  });

  it('are not read from other files', () => {
    expect(birdNotes('loans', [['a', 'b']])).toBeNull();
    expect(birdNotes('loans', [])).toBeNull();
  });
});
