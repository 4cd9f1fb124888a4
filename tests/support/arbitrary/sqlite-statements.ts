// cspell:ignore NOCASE fullkey julianday ntile unixepoch ÉCOLE école
import fc from 'fast-check';

/** Tables whose columns hold values of every type, as SQLite lets them. */
export const oddTables = `
CREATE TABLE t (
  id INTEGER PRIMARY KEY, i INTEGER, r REAL, s TEXT, n NUMERIC(10,2), x, d DATE, b BOOLEAN, "odd name" TEXT COLLATE NOCASE
);
INSERT INTO t VALUES
  (1, 7, 7.0, 'Oslo', 12.5, 1, '2020-02-29', 1, 'a'),
  (2, -7, 0.5, 'oslo', 12, 1.0, '1999-12-31 23:59:59', 0, 'A'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 9007199254740993, 1e308, '12abc', '12abc', 'text', '2021-1-5', 'true', 'b'),
  (5, 0, -0.25, '', '', x'00ff', 'not a date', 2, 'B b'),
  (6, 9223372036854775807, 1e-7, ' 5', ' 5', '5', '2020-06-15', 1, 'Æ'),
  (7, '3', '2.50', '3.0e1', '3.0e1', 5, '06:30', NULL, 'æ'),
  (8, 'x', 'y', 'ÉCOLE 100%', 1e20, 9007199254740993, '2460000.5', 0, '_'),
  (9, 2, 3.14159, 'Rome_1', -0.001, 5.5, '2020-02-29', 1, 'c'),
  (10, 2, 100.0, 'rome', 1234567.891, X'4f736c6f', NULL, 1, 'c');
CREATE TABLE u (t_id INTEGER REFERENCES t, city TEXT, amount INTEGER, info TEXT);
INSERT INTO u VALUES
  (1, 'Oslo', 10, '{"a": 1, "b": [1, 2.5, "x", null], "c": {"d": true}}'), (1, 'Rome', 3, '{"a": "7"}'),
  (2, 'Oslo', NULL, '[]'), (9, 'rome', 4, '{"a": 1.0}'), (10, NULL, 4, NULL), (99, 'Kyiv', -5, 'no json'),
  (4, 'Oslo', 10, '{"a": {"b": "c"}}');
CREATE VIEW totals AS SELECT city, sum(amount) AS total FROM u GROUP BY city;
CREATE TABLE empty (a INTEGER, z TEXT);
`;

/** Of what BIRD, Spider and their like ask, and of what is different in DuckDB. */
export const handWritten: readonly string[] = String.raw`
SELECT ${'`'}odd name${'`'} FROM t ORDER BY id
SELECT [odd name] FROM t WHERE [odd name] = 'a' ORDER BY id
SELECT count(*) FROM t WHERE s = "Oslo"
SELECT "no such column" FROM t LIMIT 2
SELECT IIF(b = 1, 'YES', 'NO') FROM t ORDER BY id
SELECT strftime('%Y', d) FROM t ORDER BY id
SELECT strftime('%Y-%m-%d %H:%M:%S', d), strftime('%j %w %s', d) FROM t ORDER BY id
SELECT count(*) FROM t WHERE strftime('%Y', d) > '2000'
SELECT julianday('2020-02-29') - julianday('2020-01-01')
SELECT julianday(d) FROM t ORDER BY id
SELECT date(d), time(d), datetime(d) FROM t ORDER BY id
SELECT date('2020-01-31', '+1 month'), date('2020-03-01', '-1 day'), date('2020-02-29', 'start of year', '+1 year')
SELECT datetime('2020-01-01 10:00', '+90 minutes'), datetime(0, 'unixepoch'), unixepoch('2020-01-01')
SELECT CAST(strftime('%Y', d) AS INTEGER) + 1 FROM t ORDER BY id
SELECT date('not a date'), strftime('%Y', NULL), julianday('')
SELECT s, max(i) FROM t
SELECT id, s, min(r) FROM t GROUP BY b ORDER BY b
SELECT city, count(*), t_id > 0 FROM u WHERE amount > 3 GROUP BY city ORDER BY city
SELECT 7 / 2, -7 / 2, 7 / 2.0, 7 % 3, -7 % 3, 7 / 0, 7 % 0, 7.5 % 2
SELECT sum(i) / count(*) FROM t WHERE id IN (1, 2, 5, 9)
SELECT sum(amount) / count(*), avg(amount), total(amount) FROM u
SELECT s FROM t WHERE s LIKE 'OSLO' ORDER BY id
SELECT s FROM t WHERE s LIKE '%école%' ORDER BY id
SELECT s FROM t WHERE s LIKE '%100\%%' ESCAPE '\' ORDER BY id
SELECT s FROM t WHERE s LIKE '_ome%' ORDER BY id
SELECT s FROM t WHERE s GLOB 'o*' ORDER BY id
SELECT s FROM t WHERE i LIKE '7' ORDER BY id
SELECT id FROM t ORDER BY i, id
SELECT id FROM t ORDER BY i DESC, id
SELECT id FROM t ORDER BY i NULLS LAST, id
SELECT id FROM t ORDER BY x, id
SELECT id FROM t ORDER BY s COLLATE NOCASE, id
SELECT id FROM t ORDER BY "odd name", id
SELECT id FROM t WHERE i > '5' ORDER BY id
SELECT id FROM t WHERE s > 5 ORDER BY id
SELECT id FROM t WHERE x > 5 ORDER BY id
SELECT id FROM t WHERE x = '5' ORDER BY id
SELECT id FROM t WHERE x = 5 ORDER BY id
SELECT id FROM t WHERE n = '12' ORDER BY id
SELECT '10' < 9, 10 < '9', '10' < '9', 1 = '1', 1.0 = 1, 'a' = 'A', NULL = NULL, NULL IS NULL
SELECT CAST('12abc' AS INTEGER), CAST('12.7abc' AS REAL), CAST('abc' AS INTEGER), CAST('' AS REAL), CAST('1e3' AS INTEGER)
SELECT CAST(12.9 AS INTEGER), CAST(-12.9 AS INTEGER), CAST(1e30 AS INTEGER), CAST('9223372036854775808' AS INTEGER)
SELECT CAST(7 AS TEXT), CAST(7.0 AS TEXT), CAST(0.1 + 0.2 AS TEXT), CAST(1e20 AS TEXT), CAST(x'4142' AS TEXT)
SELECT CAST(s AS INTEGER), CAST(s AS REAL), CAST(s AS NUMERIC) FROM t ORDER BY id
SELECT CAST(i AS TEXT), CAST(r AS TEXT), CAST(n AS TEXT), CAST(x AS TEXT) FROM t WHERE id < 5 ORDER BY id
SELECT typeof(i), typeof(r), typeof(s), typeof(n), typeof(x), typeof(d), typeof(b) FROM t ORDER BY id
SELECT i, r, s, n, x, d, b FROM t ORDER BY id
SELECT * FROM t ORDER BY id
SELECT x FROM t ORDER BY id
SELECT CASE WHEN id < 3 THEN 1 WHEN id < 5 THEN 1.0 WHEN id < 7 THEN '1' ELSE x'31' END FROM t ORDER BY id
SELECT i + 1, s + 1, x + 1, s || i, r || '' FROM t WHERE id <> 6 ORDER BY id
SELECT 9223372036854775807 + 1, 9223372036854775807, -9223372036854775808, 9223372036854775808
SELECT abs(-7), abs('x'), abs(NULL), abs(-0.5)
SELECT round(2.5), round(-2.5), round(2.345, 2), round(7), round('3.7'), round(NULL), round(1234.5678, -2)
SELECT 1.0, 100.0, 1e15, 1e16, 1e100, 0.1, 1.0 / 3, -0.0, 1e-5, 123456789.123456789
SELECT 9e999, -9e999, 9e999 - 9e999
SELECT group_concat(city), group_concat(DISTINCT city), group_concat(amount, '; ') FROM (SELECT * FROM u ORDER BY t_id, city)
SELECT group_concat(city, '') FROM empty, u
SELECT t_id, group_concat(city, '|') FROM (SELECT * FROM u ORDER BY city) GROUP BY t_id ORDER BY t_id
SELECT count(*), count(amount), count(DISTINCT amount), min(city), max(city), sum(amount) FROM u
SELECT count(*), sum(a), total(a), avg(a), min(a), max(z), group_concat(z) FROM empty
SELECT max(1, 2.0, '3'), min(1, 2.0, NULL), max('a', 'B'), min(x'00', 1)
SELECT id, row_number() OVER (ORDER BY id DESC) FROM t ORDER BY id
SELECT city, amount, rank() OVER (PARTITION BY city ORDER BY amount DESC), dense_rank() OVER (ORDER BY amount) FROM u ORDER BY t_id, city
SELECT t_id, sum(amount) OVER (ORDER BY t_id, city ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM u ORDER BY t_id, city
SELECT t_id, lag(amount, 1, 'none') OVER (ORDER BY t_id, city), lead(amount) OVER (ORDER BY t_id, city) FROM u ORDER BY t_id, city
SELECT t_id, first_value(city) OVER w, ntile(3) OVER w, percent_rank() OVER w FROM u WINDOW w AS (ORDER BY t_id, city) ORDER BY t_id, city
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT group_concat(n), sum(n) FROM c
WITH a AS (SELECT city, amount FROM u), b AS (SELECT max(amount) AS m FROM a) SELECT a.city FROM a, b WHERE a.amount = b.m ORDER BY 1
WITH RECURSIVE fib(a, b) AS (VALUES (0, 1) UNION ALL SELECT b, a + b FROM fib LIMIT 20) SELECT a FROM fib
SELECT json_extract(info, '$.a'), json_extract(info, '$.b'), info -> '$.a', info ->> '$.a' FROM u WHERE json_valid(info) ORDER BY t_id, city
SELECT json_extract(info, '$.a') FROM u ORDER BY t_id
SELECT key, value, type, atom FROM u, json_each(u.info) WHERE t_id = 1 AND city = 'Oslo'
SELECT fullkey, type FROM u, json_tree(u.info) WHERE t_id = 1 ORDER BY city, fullkey
SELECT json_group_array(city), json_group_object(t_id, amount) FROM (SELECT * FROM u WHERE city IS NOT NULL ORDER BY t_id, city)
SELECT json_array(1, 2.0, 'x', NULL), json_object('a', 1.5), json_type('{"a": [1]}', '$.a'), json_array_length('[1, 2]')
SELECT json_set('{"a": 1}', '$.b', 2), json_remove('[1, 2, 3]', '$[1]'), json_quote('x"y'), json('{ "a" : 1 }')
SELECT substr('hello', 2, 3), substr('hello', -3), substr('hello', 0, 3), substring('hello', 2), substr(x'010203', 2)
SELECT instr('hello', 'l'), instr('hello', 'z'), replace('aXbX', 'X', ''), trim('  a '), ltrim('xxa', 'x'), rtrim('axx', 'x')
SELECT upper('straße é'), lower('ÀB'), length('é'), length(x'00ff'), length(NULL), length(123), unicode('é'), char(233, 0, 65)
SELECT hex('é'), hex(x'00ff'), hex(7), quote('it''s'), quote(x'00'), quote(NULL), quote(1.5), printf('%05.1f|%s|%d', 3.14159, 'x', 7)
SELECT printf('%.2f', 2.25), printf('%,d', 1234567), printf('%x', 255), printf('%5s|%-5s|', 'a', 'b'), printf('%%')
SELECT coalesce(NULL, NULL, 3), ifnull(NULL, 'x'), nullif(1, 1), nullif(1, 2), nullif(1, '1')
SELECT 5 BETWEEN 1 AND 10, 'b' BETWEEN 'a' AND 'c', 5 NOT IN (1, 2), NULL IN (1), 1 IN (NULL), 1 IN (), '1' IN (1)
SELECT 1 AND NULL, 0 AND NULL, 1 OR NULL, NOT NULL, NOT 0, NOT 'abc', NOT '1', 'abc' OR 0
SELECT id FROM t WHERE s ORDER BY id
SELECT id FROM t WHERE NOT s ORDER BY id
SELECT 5 & 3, 5 | 3, ~5, 1 << 3, -1 >> 1, 5 <> 3, 5 != 3, 5 == 5, 5 IS NOT 3, 5 IS '5'
SELECT TRUE, FALSE, TRUE + 1, 'true' = TRUE
SELECT b = TRUE, b IS TRUE, b IS NOT FALSE FROM t ORDER BY id
SELECT DISTINCT x FROM t ORDER BY x
SELECT DISTINCT i, b FROM t ORDER BY i, b
SELECT x, count(*) FROM t GROUP BY x ORDER BY x
SELECT city FROM u UNION SELECT s FROM t ORDER BY 1
SELECT city FROM u INTERSECT SELECT s FROM t ORDER BY 1
SELECT city FROM u EXCEPT SELECT s FROM t ORDER BY 1
SELECT amount FROM u UNION ALL SELECT s FROM t ORDER BY 1
SELECT 1 UNION SELECT 1.0 UNION SELECT '1'
VALUES (1, 'a'), (2.0, NULL)
SELECT t.id, u.city FROM t LEFT JOIN u ON t.id = u.t_id ORDER BY t.id, u.city
SELECT t.id, u.city FROM t RIGHT JOIN u ON t.id = u.t_id ORDER BY t.id, u.city
SELECT t.id, u.city FROM t FULL OUTER JOIN u ON t.id = u.t_id ORDER BY t.id, u.city
SELECT count(*) FROM t CROSS JOIN u
SELECT count(*) FROM t NATURAL JOIN u
SELECT a.id, b.id FROM t a JOIN t b ON a.x = b.x AND a.id < b.id ORDER BY 1, 2
SELECT a.id, b.id FROM t a JOIN t b ON a.x = b.s ORDER BY 1, 2
SELECT * FROM totals ORDER BY city
SELECT city, total FROM totals WHERE total > 5 ORDER BY total DESC
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id) ORDER BY id
SELECT id, (SELECT city FROM u WHERE u.t_id = t.id ORDER BY city LIMIT 1) FROM t ORDER BY id
SELECT (SELECT id FROM t ORDER BY id LIMIT 1 OFFSET 3), (SELECT 1 FROM empty)
SELECT id FROM t WHERE id IN (SELECT t_id FROM u) ORDER BY id LIMIT 2, 3
SELECT id FROM t WHERE i = (SELECT max(i) FROM t)
SELECT id FROM t ORDER BY i LIMIT 1
SELECT count(*) FROM t HAVING count(*) > 100
SELECT city, count(*) AS c FROM u GROUP BY 1 HAVING c > 1 ORDER BY c DESC
SELECT city AS k, max(amount) FROM u GROUP BY k ORDER BY max(amount) DESC, k
SELECT id + 1 AS next FROM t WHERE next > 9
SELECT i AS a, i AS a, i FROM t ORDER BY id LIMIT 2
SELECT rowid, oid, _rowid_ FROM u ORDER BY rowid
SELECT name, type FROM sqlite_master ORDER BY name
SELECT name FROM sqlite_schema WHERE type = 'view'
SELECT name, type, pk FROM pragma_table_info('t')
PRAGMA table_info(u)
SELECT sqrt(16), power(2, 10), floor(-2.5), ceil(2.1), pi() > 3, log10(100), mod(7, 3), sign(-3)
SELECT ln(0), sqrt(-1), exp(0), atan2(0, 1), degrees(0)
SELECT likely(1), typeof(x'00'), zeroblob(2), randomblob(0) IS NOT NULL
SELECT a'b
SELECT * FROM nowhere
SELECT nothing.id FROM t
SELECT id FROM t WHERE
SELECT id FROM t LIMIT 'x'
SELECT no_such_function(1)
SELECT sum(id, 2) FROM t
SELECT id FROM t GROUP BY 99
SELECT 1 FROM t JOIN u ON id = amount AND ambiguous = 1
SELECT id::TEXT FROM t
SELECT s FROM t WHERE s ILIKE 'oslo'
SELECT top 1 id FROM t
SELECT extract(year FROM d) FROM t
SELECT 'a' || NULL || 'b', 'a' || 1.0, 1 || 2
SELECT x'' IS NULL, x'00' = '', 'a' = x'61'
SELECT id -- a comment
SELECT /* a comment */ id FROM t ORDER BY id LIMIT 1;
SELECT '; not an end', id FROM t ORDER BY id LIMIT 1; -- behind
SELECT 0x1F, .5, 5., 1e2
SELECT 'line
break'
SELECT '😀', length('😀'), substr('a😀b', 2, 1), upper('😀')
SELECT id, s FROM t WHERE s REGEXP 'o'
SELECT id FROM t WHERE s MATCH 'o'
SELECT min(s), max(s), min(x), max(x) FROM t
SELECT avg(i) FROM t WHERE id IN (1, 2, 5)
SELECT sum(i) FROM t WHERE id IN (1, 6)
SELECT sum(s), avg(s), total(s) FROM t WHERE id IN (4, 6)
SELECT CAST(sum(CASE WHEN b = 1 THEN 1 ELSE 0 END) AS REAL) * 100 / count(*) FROM t
SELECT sum(b = 1) * 100.0 / count(id) FROM t
SELECT sum(IIF(city = 'Oslo', 1, 0)) - sum(IIF(city = 'Rome', 1, 0)) FROM u
SELECT count(*) FILTER (WHERE amount > 3) FROM u
SELECT substr(d, 1, 4), count(*) FROM t GROUP BY substr(d, 1, 4) ORDER BY 1
SELECT d FROM t WHERE d LIKE '2020%' ORDER BY id
SELECT d FROM t WHERE d BETWEEN '2020-01-01' AND '2020-12-31' ORDER BY id
SELECT d FROM t WHERE d > 2000 ORDER BY id
SELECT CURRENT_TIMESTAMP > '2020', date('now') > '2020-01-01'
SELECT cast(julianday('2020-03-01') - julianday(d) as integer) FROM t ORDER BY id
SELECT strftime('%Y', 'now') - strftime('%Y', '2020-01-01') > 3
`
  .trim()
  .split(/\n(?=(?:SELECT|WITH|VALUES|PRAGMA)\b)/)
  .map((statement) => statement.trim());

const one = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const filled = (
  template: string,
  ...parts: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<string> =>
  fc
    .tuple(...parts)
    .map((texts) => texts.reduce((text, part) => text.replace('$', () => part), template));

const column = one('id', 'i', 'r', 's', 'n', 'x', 'd', 'b', '"odd name"', '[odd name]');
const literal = one(
  ...["''", "'a'", '"oslo"', "'5'", "'12abc'", "' 5'", "'2020-02-29'", "'%o%'", 'NULL', '0', '1'],
  ...[
    '7',
    '-7',
    '2',
    '2.0',
    '0.5',
    '1e3',
    '9007199254740993',
    "x'00ff'",
    "x'35'",
    'TRUE',
    "'NULL'",
  ],
);
const comparison = one('=', '<>', '<', '<=', '>', '>=', 'IS', 'IS NOT');
const pattern = one("''", "'a'", "'O%'", "'%o%'", "'_ome%'", "'[A-Z]*'", "'*5'", "'12abc'", "'7'");

/**
 * Without what depends on the version or the build of SQLite: the last digits of sums of floats, whether LIKE finds anything in a
 * BLOB, and the type of `replace(x, '', y)`.
 */
const { value, condition } = fc.letrec<{ value: string; condition: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    column,
    literal,
    filled('($ $ $)', tie('value'), one('+', '-', '*', '/', '%', '||', '&', '|'), tie('value')),
    filled('CAST($ AS $)', tie('value'), one('INTEGER', 'REAL', 'TEXT', 'NUMERIC', 'BLOB')),
    filled(
      '$($)',
      one('abs', 'length', 'upper', 'lower', 'typeof', 'hex', 'trim', 'quote', 'date', 'time'),
      tie('value'),
    ),
    filled('round($, $)', tie('value'), one('0', '1', '2')),
    filled('substr($, $, $)', tie('value'), one('1', '2', '-2', '0'), one('1', '3', '-1')),
    filled("strftime('$', $)", one('%Y', '%m-%d', '%H:%M', '%w'), tie('value')),
    filled('coalesce($, $)', tie('value'), tie('value')),
    filled('nullif($, $)', tie('value'), tie('value')),
    filled('IIF($, $, $)', tie('condition'), tie('value'), tie('value')),
    filled('CASE WHEN $ THEN $ ELSE $ END', tie('condition'), tie('value'), tie('value')),
    filled('max($, $)', tie('value'), tie('value')),
    filled('instr($, $)', tie('value'), tie('value')),
    filled('replace($, $, $)', tie('value'), one("'a'", "'o'", "'5'", '2', 'NULL'), literal),
    filled('json_array($, $)', one('id', 'i', 's', 'd'), tie('condition')),
  ),
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    filled('$ $ $', tie('value'), comparison, tie('value')),
    filled('($ $ $)', tie('condition'), one('AND', 'OR'), tie('condition')),
    filled('NOT ($)', tie('condition')),
    filled("('' || $) $ $", tie('value'), one('LIKE', 'NOT LIKE', 'GLOB'), pattern),
    filled('$ BETWEEN $ AND $', tie('value'), literal, literal),
    filled('$ IN ($, $)', tie('value'), tie('value'), literal),
    filled('$ IN (SELECT $ FROM u)', tie('value'), one('city', 't_id', 'amount')),
    filled('$ IS NULL', tie('value')),
  ),
}));

const aggregate = fc.oneof(
  filled('$($)', one('count', 'min', 'max', 'count', 'group_concat'), one('i', 's', 'x', 'd')),
  filled('count(DISTINCT $)', value),
  filled('sum($)', condition),
  filled('total($)', condition),
  filled('avg($)', condition),
);

/** Statements with an order, so that two versions of SQLite must give the same rows in the same order. */
export const statements: fc.Arbitrary<string> = fc.oneof(
  filled('SELECT $ FROM t ORDER BY id', value),
  filled('SELECT $, $ FROM t WHERE $ ORDER BY id', value, value, condition),
  filled('SELECT id, $ FROM t ORDER BY $ $, id LIMIT 5', value, value, one('', 'DESC')),
  filled('SELECT DISTINCT $ AS k FROM t ORDER BY k', value),
  filled(
    'SELECT $ AS k, $ FROM (SELECT * FROM t ORDER BY id) GROUP BY k ORDER BY k',
    value,
    aggregate,
  ),
  filled('SELECT $, $ FROM (SELECT * FROM t ORDER BY id) WHERE $', aggregate, aggregate, condition),
  filled(
    'SELECT t.id, city, $ FROM t LEFT JOIN u ON t.id = u.t_id AND $ ORDER BY t.id, u.rowid',
    value,
    condition,
  ),
  filled(
    'SELECT id, $ OVER (PARTITION BY $ ORDER BY id) FROM t ORDER BY id',
    one('row_number()', 'count(*)', 'lag(s)', 'first_value(x)', 'min(i)'),
    value,
  ),
  filled(
    'WITH c AS (SELECT id, $ AS v FROM t) SELECT v, id FROM c WHERE v $ $ ORDER BY id',
    value,
    comparison,
    value,
  ),
  filled('SELECT $ FROM t UNION SELECT $ FROM t ORDER BY 1', value, value),
);
