import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { CsvSettings } from '../../../../domain/stores/csv-table.js';
import type { DatabaseTable } from '../../../../domain/stores/database.js';
import { UserError } from '../../../../domain/user-error.js';
import { importTableFiles } from '../../../../worker/adapters/databases/duckdb-file.js';
import { queryDuckdb } from '../../../support/databases-under-test.js';

const root = mkdtempSync(join(tmpdir(), 'turnwise-csv-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made = 0;

type Imported =
  | {
      readonly kind: 'table';
      readonly table: DatabaseTable;
      readonly rows: readonly (readonly unknown[])[];
    }
  | { readonly kind: 'refused'; readonly message: string };

/** Imports a file, and reads all cells back as texts. */
async function imported(
  bytes: string | Uint8Array,
  settings: CsvSettings = {},
  name = 't.csv',
): Promise<Imported> {
  const folder = join(root, String(made++));
  mkdirSync(folder);
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const file = join(folder, 'data.duckdb');
  try {
    const [table] = await importTableFiles([path], file, () => settings);
    if (table === undefined) throw new Error('no table');
    return {
      kind: 'table',
      table,
      rows: await queryDuckdb(file, 'SELECT COLUMNS(*)::VARCHAR FROM t'),
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kind: 'refused', message: error.message.replace(`${folder}/`, '') };
  }
}

/** The types of the columns, and the rows. */
const read = async (...given: Parameters<typeof imported>) => {
  const result = await imported(...given);
  return result.kind === 'refused'
    ? result.message
    : [result.table.columns.map(({ name, type }) => `${name} ${type}`).join(', '), ...result.rows];
};

const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');

describe('a CSV file is read whole', () => {
  it.each<[string, string | Uint8Array, string, ...(readonly (string | null)[])[]]>([
    ['with CRLF', 'id,name\r\n1,"a, b"\r\n', 'id BIGINT, name VARCHAR', ['1', 'a, b']],
    ['with semicolons', 'id;n\n1;a,b\n2;c\n', 'id BIGINT, n VARCHAR', ['1', 'a,b'], ['2', 'c']],
    ['with bars', 'id|n\n1|a;b\n', 'id BIGINT, n VARCHAR', ['1', 'a;b']],
    [
      'with cells of several lines',
      'id,n\n1,"a\n""b"""\n',
      'id BIGINT, n VARCHAR',
      ['1', 'a\n"b"'],
    ],
    [
      'with empty lines',
      'id,n\n\n1,a\n  \n2,b\n\n',
      'id BIGINT, n VARCHAR',
      ['1', 'a'],
      ['2', 'b'],
    ],
    [
      'with one comma too many',
      'id,n\n1,a,\n2,b,\n',
      'id BIGINT, n VARCHAR',
      ['1', 'a'],
      ['2', 'b'],
    ],
    ['with a comma too many in all lines', 'id,n,\n1,a,\n', 'id BIGINT, n VARCHAR', ['1', 'a']],
    ['with a column without a name', ',n\n0,a\n', 'column0 BIGINT, n VARCHAR', ['0', 'a']],
    ['with a name twice', 'n,N,n\na,b,c\n', 'n VARCHAR, N_1 VARCHAR, n_2 VARCHAR', ['a', 'b', 'c']],
    ['with one column', 'n\na\nb\n', 'n VARCHAR', ['a'], ['b']],
    ['of an old Macintosh', 'id,n\r1,a\r', 'id BIGINT, n VARCHAR', ['1', 'a']],
    [
      'in Latin-1',
      Buffer.from('id,n\n1,caf\xe9\n', 'latin1'),
      'id BIGINT, n VARCHAR',
      ['1', 'café'],
    ],
    [
      'in Windows-1252',
      Buffer.from('id,n\n1,5 \x80\n', 'latin1'),
      'id BIGINT, n VARCHAR',
      ['1', '5 €'],
    ],
    ['in UTF-16', utf16('id,n\n1,é\n'), 'id BIGINT, n VARCHAR', ['1', 'é']],
    [
      'in UTF-16 without a mark',
      Buffer.from('id,n\n1,a\n', 'utf16le'),
      'id BIGINT, n VARCHAR',
      ['1', 'a'],
    ],
    ['with a byte order mark', '\uFEFFid,n\n1,é\n', 'id BIGINT, n VARCHAR', ['1', 'é']],
    [
      'with NA among numbers',
      'n,x\nNA,1\n2.5,NULL\n',
      'n DOUBLE, x BIGINT',
      [null, '1'],
      ['2.5', null],
    ],
    ['with NA among texts', 'n\nNA\nb\n', 'n VARCHAR', ['NA'], ['b']],
    [
      'with decimal commas',
      'n;x\n2,5;1\n1.000,25;2\n',
      'n DOUBLE, x BIGINT',
      ['2.5', '1'],
      ['1000.25', '2'],
    ],
    ['with thousands', 'n\n"1,234.5"\n"7"\n', 'n DOUBLE', ['1234.5'], ['7.0']],
    ['with what is a thousand or not', 'n\n"1,234"\n"2,345"\n', 'n VARCHAR', ['1,234'], ['2,345']],
    ['with days first', 'd\n05/01/2024\n13/01/2024\n', 'd DATE', ['2024-01-05'], ['2024-01-13']],
    ['with months first', 'd\n01/13/2024 10:00\n', 'd TIMESTAMP', ['2024-01-13 10:00:00']],
    ['with dots in dates', 'd\n05.01.2024\n', 'd DATE', ['2024-01-05']],
    [
      'with dates of two ways',
      'd\n2024-01-05\n05/01/2024\n',
      'd VARCHAR',
      ['2024-01-05'],
      ['05/01/2024'],
    ],
    ['with dates that are two dates each', 'd\n05/01/2024\n', 'd VARCHAR', ['05/01/2024']],
    [
      'with times',
      'a,b,c\n2024-01-05 10:11:12.5,10:11:12,true\n',
      'a TIMESTAMP, b TIME, c BOOLEAN',
      ['2024-01-05 10:11:12.5', '10:11:12', 'true'],
    ],
    ['with zeros before numbers', 'zip\n01234\n10115\n', 'zip VARCHAR', ['01234'], ['10115']],
    ['with telephone numbers', 'tel\n+4930123\n', 'tel VARCHAR', ['+4930123']],
    [
      'with large integers',
      'a,b,c\n1413617112501850121,123456789012345678901,9007199254740993\n1,2,0.5\n',
      'a BIGINT, b HUGEINT, c VARCHAR',
      ['1413617112501850121', '123456789012345678901', '9007199254740993'],
      ['1', '2', '0.5'],
    ],
    ['with years as names', 'country,y\nA,1\n', 'country VARCHAR, y BIGINT', ['A', '1']],
    ['without a row', 'a,b\n', 'a VARCHAR, b VARCHAR'],
  ])('%s', async (_name, bytes, types, ...rows) => {
    expect(await read(bytes)).toEqual([types, ...rows]);
  });

  it('with a mark, two ways of dates, texts of two lines, zeros and large integers', async () => {
    const post = [
      '\uFEFF"id","name","score","when","zip"',
      '1413617112501850121,"a, b",1.10,2024-01-05,01234',
      '1413617112501850122,"line\none",,05/01/2024,00501',
      '3,NULL,3,,',
      '',
    ].join('\r\n');
    expect(await read(post)).toEqual([
      'id BIGINT, name VARCHAR, score DOUBLE, when VARCHAR, zip VARCHAR',
      ['1413617112501850121', 'a, b', '1.1', '2024-01-05', '01234'],
      ['1413617112501850122', 'line\none', null, '05/01/2024', '00501'],
      ['3', 'NULL', '3.0', null, null],
    ]);
  });

  it('compressed, and with tabs by its name', async () => {
    expect(await read(gzipSync('id,n\n1,a\n'), {}, 't.csv.gz')).toEqual([
      'id BIGINT, n VARCHAR',
      ['1', 'a'],
    ]);
    expect(await read('id\tn\n1\ta,b\n', {}, 't.tsv')).toEqual([
      'id BIGINT, n VARCHAR',
      ['1', 'a,b'],
    ]);
  });

  it('or JSON lines, or a JSON list', async () => {
    const line = '{"id":1413617112501850121,"n":"a"}';
    const whole = ['id BIGINT, n VARCHAR', ['1413617112501850121', 'a']];
    expect(await read(`${line}\n`, {}, 't.jsonl')).toEqual(whole);
    expect(await read(`${line}\n`, {}, 't.json')).toEqual(whole);
    expect(await read(gzipSync(`[\n${line}\n]`), {}, 't.json.gz')).toEqual(whole);
  });

  it('as its settings say', async () => {
    const all = {
      separator: ';',
      quote: "'",
      skip: 1,
      comment: '#',
      nulls: ['x'],
      decimal: ',',
      dates: '%Y%m%d',
    } as const;
    expect(await read("made; today\na;b;c;d\n# no\n'1;2';1.234;x;20240105\n", all)).toEqual([
      'a VARCHAR, b DOUBLE, c VARCHAR, d DATE',
      ['1;2', '1234.0', null, '2024-01-05'],
    ]);
    expect(await read('1,a\n2\n', { header: false, pad: true })).toEqual([
      'column0 BIGINT, column1 VARCHAR',
      ['1', 'a'],
      ['2', null],
    ]);
    expect(
      await read(Buffer.from('n\n\xc4\xe0\n', 'latin1'), { encoding: 'windows-1251' }),
    ).toEqual(['n VARCHAR', ['Да']]);
    expect(await read('a,b\n5" disk,"x\n', { quote: '' })).toEqual([
      'a VARCHAR, b VARCHAR',
      ['5" disk', '"x'],
    ]);
    expect(await read('a,b\n"x\\"y",2\n', { escape: '\\' })).toEqual([
      'a VARCHAR, b BIGINT',
      ['x"y', '2'],
    ]);
    expect(await read('1,2\n3,4\n', { header: true })).toEqual(['1 BIGINT, 2 BIGINT', ['3', '4']]);
  });

  it('and says how', async () => {
    const result = await imported(
      'd;n;m;k\n05/01/2024;NA;1;"1,234"\n\n05/02/2024;2,5;x;"2,345";\n07/02/2024;3;2;\n',
    );
    expect(
      result.kind === 'table' && [
        result.table.note,
        ...result.table.columns.map(({ note }) => note),
      ],
    ).toEqual([
      'from 5 lines in utf-8 with semicolons, 1 empty line left out, the first row names the columns',
      'day or month may be first: set "dates" in csv',
      'written as 1.234,5; NULL is NA',
      '1 value no BIGINT, such as "x" in line 4',
      'the mark may be of thousands or of a fraction: set "decimal" in csv',
    ]);
  });
});

describe('a CSV file is refused with its line and what helps', () => {
  it.each<[string, string | Uint8Array, string]>([
    [
      'a short row',
      'a,b,c\n1,2,3\n4,5\n6,7,8,9\n',
      't.csv: line 3 has 2 cells, and the first row, in line 1, 3: mend it, or set',
    ],
    ['a long row', 'a,b\n1,2\n4,5,6\n', 't.csv: line 3 has 3 cells'],
    [
      'lines above the table',
      'Report\na,b\n1,2\n',
      't.csv: line 2 has 2 cells, and the first row, in line 1, 1',
    ],
    [
      'a quotation mark inside',
      'a,b\n1,5" disk\n',
      't.csv: line 2 begins a row with a quotation mark that',
    ],
    [
      'a quotation mark that is not closed',
      'a,b\n1,"x\n2,y\n',
      't.csv: line 2 has a quotation mark that is not closed',
    ],
    [
      'two separators',
      'a,b;c\n1,2;3\n',
      't.csv: line 1 and all others have several cells by more than one separator',
    ],
    [
      'no names',
      '1,a\n2,b\n',
      't.csv: line 1 may hold values and no names of columns: set "header"',
    ],
    ['no names, but texts', 'Ann,Berlin\nBob,Berlin\n', 't.csv: line 1 may hold values'],
    ['no names, but one row', '1,2\n', 't.csv: line 1 may hold values'],
    [
      'two encodings',
      Buffer.concat([Buffer.from('n\né\n'), Buffer.from('\xe9\n', 'latin1')]),
      't.csv: line 3 is not in UTF-8, and line 2 is: save it in UTF-8, or set "encoding"',
    ],
    [
      'another encoding',
      Buffer.from('n\n\x83\x81\x83\x5b\n', 'latin1'),
      't.csv: line 2 is neither in UTF-8 nor in Windows-1252',
    ],
    ['nothing in it', '\n\n', 't.csv holds no rows'],
  ])('for %s', async (_name, bytes, message) => {
    expect(await read(bytes)).toContain(message);
  });

  it('where its settings do not fit', async () => {
    expect(await read(Buffer.from('n\n\xe9\n', 'latin1'), { encoding: 'utf-8' })).toContain(
      't.csv is not text in utf-8: set "encoding"',
    );
    expect(await read('n\n1\n', { encoding: 'klingon' })).toContain('t.csv is not text in klingon');
  });
});
