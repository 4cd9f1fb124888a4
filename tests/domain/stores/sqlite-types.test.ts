import { describe, expect, it } from 'vitest';
import { candidatesFor, fits, type SqliteValue } from '../../../domain/stores/sqlite-types.js';

const number = (value: number | bigint): SqliteValue => ({ kind: 'number', value });
const text = (value: string): SqliteValue => ({ kind: 'text', value });
const blob: SqliteValue = { kind: 'blob', hex: '00FF' };

describe('the types of SQLite columns', () => {
  it.each([
    ['INTEGER', ['BIGINT']],
    ['unsigned big int', ['BIGINT']],
    // SQLite's own examples of names that mislead (datatype3.html, section 3.1).
    ['CHARINT', ['BIGINT']],
    ['FLOATING POINT', ['BIGINT']],
    ['NATIVE CHARACTER(70)', ['VARCHAR']],
    ['clob', ['VARCHAR']],
    ['BLOB', ['BLOB']],
    ['DOUBLE PRECISION', ['DOUBLE']],
    ['BOOLEAN', ['BOOLEAN']],
    ['DATE', ['DATE', 'TIMESTAMP']],
    ['datetime', ['TIMESTAMP']],
    ['TIMESTAMP', ['TIMESTAMP']],
    ['TIME', ['TIME', 'TIMESTAMP']],
    ['NUMERIC', ['DOUBLE']],
    ['NUMERIC(10,2)', ['DECIMAL(10,2)', 'DOUBLE']],
    ['decimal ( 5 )', ['DECIMAL(5,0)', 'DOUBLE']],
    ['DECIMAL(60,2)', ['DOUBLE']],
    ['NUMERIC(2,10)', ['DOUBLE']],
    ['', ['BIGINT', 'DOUBLE', 'VARCHAR', 'BLOB']],
    ['YEAR', ['BIGINT', 'DOUBLE', 'VARCHAR', 'BLOB']],
  ])('reads %j as %j', (declared, types) => {
    expect(candidatesFor(declared).types).toEqual(types);
  });

  const values: readonly (readonly [
    type: string,
    fitting: readonly SqliteValue[],
    not: readonly SqliteValue[],
  ])[] = [
    ['BIGINT', [number(1), number(-(2n ** 63n))], [number(1.5), number(1e300), text('1'), blob]],
    ['DOUBLE', [number(1), number(1.5), number(Infinity)], [text('1.5'), text(''), blob]],
    ['VARCHAR', [text('')], [number(1), blob]],
    ['BLOB', [blob], [text('x'), number(0)]],
    [
      'BOOLEAN',
      [number(0), number(1), text('TRUE'), text('false')],
      [number(2), text('t'), text('')],
    ],
    [
      'DATE',
      [text('2024-02-29'), text('1999-1-5')],
      [text('2023-02-29'), text('2024-01-01 10:00'), text('today'), text('infinity'), number(1999)],
    ],
    [
      'TIMESTAMP',
      [text('2024-02-29'), text('2024-01-01 9:05'), text('2024-01-01T09:05:01.123456Z')],
      [text('2024-01-01 25:00'), text('2024-01-01T09:05:01+02:00'), number(0)],
    ],
    ['TIME', [text('9:05'), text('23:59:59.5')], [text('24:00'), text('noon')]],
    [
      'DECIMAL(5,2)',
      [number(123.45), number(-0.5), number(999)],
      [number(1234), number(0.001), number(1e-7), text('1.00')],
    ],
  ];

  it.each(values)('keeps as %s only what DuckDB has in it unchanged', (type, fitting, not) => {
    expect(fitting.filter((value) => !fits(type, value))).toEqual([]);
    expect(not.filter((value) => fits(type, value))).toEqual([]);
  });
});
