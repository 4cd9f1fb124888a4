import type { DescribedDatabase } from '../../../domain/stores/database.js';
import {
  pairsOf,
  type Ask,
  isText,
  pair,
  quote,
  type SqlPair,
  type Template,
} from './sql-pairs.js';

/** Statements that say the same in other words, whatever rows the schema allows. */
const equivalentTemplates: readonly Template[] = [
  async ({ t, numbers }, ask) => {
    const pairs: SqlPair[] = [];
    for (const n of numbers) {
      const c = await ask(`SELECT CAST(max(${n}) * 0.5 AS INTEGER) FROM ${t}`);
      if (!isText(c)) continue;
      const high = Number(c) * 2;
      pairs.push(
        pair(
          'BETWEEN',
          `SELECT count(*) FROM ${t} WHERE ${n} BETWEEN ${c} AND ${high}`,
          `SELECT count(*) FROM ${t} WHERE ${n} >= ${c} AND ${n} <= ${high}`,
        ),
        pair(
          'turned comparison',
          `SELECT count(*), sum(${n}) FROM ${t} WHERE ${n} > ${c}`,
          `SELECT count(1), sum(x.${n}) FROM ${t} AS x WHERE ${c} < x.${n}`,
        ),
        pair(
          'NOT of a comparison',
          `SELECT ${n} FROM ${t} WHERE ${n} <= ${c}`,
          `SELECT ${n} FROM ${t} WHERE NOT (${n} > ${c})`,
        ),
        pair(
          'CTE',
          `SELECT max(v) FROM (SELECT ${n} AS v FROM ${t} WHERE ${n} < ${high}) AS q`,
          `WITH q AS (SELECT ${n} AS v FROM ${t} WHERE ${n} < ${high}) SELECT max(v) FROM q`,
        ),
        pair(
          'CASE and FILTER',
          `SELECT count(*) FILTER (WHERE ${n} >= ${c}) FROM ${t}`,
          `SELECT count(CASE WHEN ${n} >= ${c} THEN 1 END) FROM ${t}`,
        ),
        pair(
          'COALESCE below the constant',
          `SELECT count(*) FROM ${t} WHERE ${n} > ${Math.max(Number(c), 0)}`,
          `SELECT count(*) FROM ${t} WHERE COALESCE(${n}, 0) > ${Math.max(Number(c), 0)}`,
        ),
        pair(
          'average',
          `SELECT avg(${n}) FROM ${t}`,
          `SELECT sum(${n}) * 1.0 / count(${n}) FROM ${t}`,
        ),
        pair(
          'average, exactly',
          `SELECT avg(${n}) FROM ${t}`,
          `SELECT avg(y.${n}) FROM (SELECT ${n} FROM ${t} ORDER BY ${n} DESC) AS y`,
          'bird',
        ),
        pair(
          'maximum by order',
          `SELECT max(${n}) FROM ${t}`,
          `SELECT ${n} FROM ${t} WHERE ${n} IS NOT NULL ORDER BY ${n} DESC LIMIT 1`,
        ),
        pair(
          'no greater one',
          `SELECT count(*) FROM ${t} WHERE ${n} = (SELECT max(${n}) FROM ${t})`,
          `SELECT count(*) FROM ${t} AS a WHERE ${n} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${t} AS b WHERE b.${n} > a.${n})`,
        ),
      );
    }
    return pairs;
  },
  async ({ t, texts, numbers }, ask, engine) => {
    const pairs: SqlPair[] = [];
    for (const s of texts) {
      const a = await ask(`SELECT min(${s}) FROM ${t}`);
      const b = await ask(`SELECT max(${s}) FROM ${t}`);
      if (!isText(a) || !isText(b) || a === b) continue;
      const [low, high] = [quote(a), quote(b)];
      const [n = s] = numbers;
      pairs.push(
        pair(
          'IN and OR',
          `SELECT count(*) FROM ${t} WHERE ${s} IN (${low}, ${high})`,
          `SELECT count(*) FROM ${t} WHERE ${s} = ${high} OR ${s} = ${low}`,
        ),
        pair(
          'UNION ALL of parts',
          `SELECT ${n} FROM ${t} WHERE ${s} IN (${low}, ${high})`,
          `SELECT ${n} FROM ${t} WHERE ${s} = ${low} UNION ALL SELECT ${n} FROM ${t} WHERE ${s} = ${high}`,
        ),
        pair(
          'DISTINCT and GROUP BY',
          `SELECT DISTINCT ${s} FROM ${t}`,
          `SELECT ${s} FROM ${t} GROUP BY ${s}`,
        ),
        pair(
          'HAVING and WHERE outside',
          `SELECT ${s}, count(*) FROM ${t} GROUP BY ${s} HAVING count(*) > 2`,
          `SELECT v, c FROM (SELECT ${s} AS v, count(*) AS c FROM ${t} GROUP BY ${s}) AS g WHERE c >= 3`,
        ),
        pair(
          'De Morgan',
          `SELECT count(*) FROM ${t} WHERE NOT (${s} = ${low} OR ${s} = ${high})`,
          `SELECT count(*) FROM ${t} WHERE ${s} <> ${low} AND ${s} <> ${high}`,
        ),
        pair(
          'COUNT of a column',
          `SELECT count(${s}) FROM ${t}`,
          `SELECT count(*) FROM ${t} WHERE ${s} IS NOT NULL`,
        ),
        pair(
          'sum of sums',
          `SELECT sum(${n}) FROM ${t}`,
          `SELECT sum(v) FROM (SELECT sum(${n}) AS v FROM ${t} GROUP BY ${s}) AS g`,
          numbers.length > 0 ? 'bird' : undefined,
        ),
        pair(
          'a LIMIT among ties',
          `SELECT ${s} FROM ${t} ORDER BY ${n} LIMIT 1`,
          `SELECT q.${s} FROM (SELECT ${s}, row_number() OVER (ORDER BY ${n}) AS place FROM ${t}) AS q WHERE place = 1`,
        ),
        pair(
          'a group among ties',
          `SELECT ${s} FROM ${t} GROUP BY ${s} ORDER BY count(*) DESC LIMIT 1`,
          `WITH g AS (SELECT ${s} AS v, count(*) AS c FROM ${t} GROUP BY ${s}) SELECT v FROM g ORDER BY c DESC LIMIT 1`,
        ),
        engine === 'duckdb'
          ? pair(
              'LIKE and starts_with',
              `SELECT count(*) FROM ${t} WHERE ${s} LIKE ${quote(`${String(a).slice(0, 2)}%`)}`,
              `SELECT count(*) FROM ${t} WHERE substr(${s}, 1, 2) = ${quote(String(a).slice(0, 2))}`,
            )
          : pair(
              'LIKE in small letters',
              `SELECT count(*) FROM ${t} WHERE ${s} LIKE ${quote(`${String(a).slice(0, 2)}%`)}`,
              `SELECT count(*) FROM ${t} WHERE lower(${s}) LIKE ${quote(`${String(a).slice(0, 2).toLowerCase()}%`)}`,
            ),
      );
    }
    return pairs;
  },
  ({ t, p, texts, numbers }) =>
    Promise.resolve(
      p === null
        ? []
        : [
            pair('COUNT of the key', `SELECT count(*) FROM ${t}`, `SELECT count(${p}) FROM ${t}`),
            pair(
              'distinct keys',
              `SELECT count(*) FROM ${t}`,
              `SELECT count(DISTINCT ${p}) FROM ${t}`,
            ),
            pair('DISTINCT on a key', `SELECT ${p} FROM ${t}`, `SELECT DISTINCT ${p} FROM ${t}`),
            ...[...texts, ...numbers].map((c) =>
              pair(
                'GROUP BY the key',
                `SELECT ${p}, ${c} FROM ${t}`,
                `SELECT ${p}, max(${c}) FROM ${t} GROUP BY ${p}`,
              ),
            ),
            ...numbers.map((n) =>
              pair(
                'first rows by a window',
                `SELECT ${p}, ${n} FROM ${t} WHERE ${n} IS NOT NULL ORDER BY ${n} DESC, ${p} LIMIT 3`,
                `SELECT ${p}, ${n} FROM (SELECT ${p}, ${n}, row_number() OVER (ORDER BY ${n} DESC, ${p}) AS place FROM ${t} WHERE ${n} IS NOT NULL) AS q WHERE place <= 3 ORDER BY place`,
              ),
            ),
          ],
    ),
  ({ t, p, parents, numbers }) =>
    Promise.resolve(
      parents.flatMap(({ f, u, k, label, nullable }) => {
        const [n = f] = numbers;
        const name = label ?? k;
        return [
          pair(
            'IN and EXISTS',
            `SELECT ${k} FROM ${u} WHERE ${k} IN (SELECT ${f} FROM ${t})`,
            `SELECT ${k} FROM ${u} AS o WHERE EXISTS (SELECT 1 FROM ${t} AS i WHERE i.${f} = o.${k})`,
          ),
          pair(
            'IN and JOIN',
            `SELECT count(*) FROM ${t} WHERE ${f} IN (SELECT ${k} FROM ${u} WHERE ${k} > 1)`,
            `SELECT count(*) FROM ${t} AS a JOIN ${u} AS b ON a.${f} = b.${k} WHERE b.${k} > 1`,
          ),
          pair(
            'order of a join',
            `SELECT b.${name}, count(*) FROM ${t} AS a JOIN ${u} AS b ON a.${f} = b.${k} GROUP BY b.${k}, b.${name}`,
            `SELECT min(y.${name}), count(x.${f}) FROM ${u} AS y, ${t} AS x WHERE y.${k} = x.${f} GROUP BY y.${k}`,
          ),
          pair(
            'those without a partner',
            `SELECT count(*) FROM ${u} AS o WHERE NOT EXISTS (SELECT 1 FROM ${t} AS i WHERE i.${f} = o.${k})`,
            `SELECT count(*) FROM ${u} AS o LEFT JOIN ${t} AS i ON i.${f} = o.${k} WHERE i.${f} IS NULL`,
          ),
          pair(
            'counts by a join and by a subquery',
            `SELECT o.${k}, count(i.${f}) FROM ${u} AS o LEFT JOIN ${t} AS i ON i.${f} = o.${k} GROUP BY o.${k}`,
            `SELECT o.${k}, (SELECT count(*) FROM ${t} AS i WHERE i.${f} = o.${k}) FROM ${u} AS o`,
          ),
          ...(nullable
            ? []
            : [
                pair(
                  'a join that every row has',
                  `SELECT count(*), max(${n}) FROM ${t}`,
                  `SELECT count(*), max(a.${n}) FROM ${t} AS a JOIN ${u} AS b ON a.${f} = b.${k}`,
                ),
                pair(
                  'LEFT JOIN of what every row has',
                  `SELECT b.${name}, a.${n} FROM ${t} AS a JOIN ${u} AS b ON a.${f} = b.${k}`,
                  `SELECT b.${name}, a.${n} FROM ${t} AS a LEFT JOIN ${u} AS b ON a.${f} = b.${k}`,
                ),
                pair(
                  'NOT IN of a column without NULL',
                  `SELECT ${k} FROM ${u} WHERE ${k} NOT IN (SELECT ${f} FROM ${t})`,
                  `SELECT ${k} FROM ${u} EXCEPT SELECT ${f} FROM ${t}`,
                ),
              ]),
          ...(p === null || p === f
            ? []
            : [
                pair(
                  'distinct keys behind a join',
                  `SELECT count(*) FROM ${t} AS a JOIN ${u} AS b ON a.${f} = b.${k}`,
                  `SELECT count(DISTINCT a.${p}) FROM ${t} AS a JOIN ${u} AS b ON a.${f} = b.${k}`,
                ),
              ]),
        ];
      }),
    ),
  async ({ t, days }, ask, engine) => {
    const pairs: SqlPair[] = [];
    for (const d of days) {
      const year = Number(String(await ask(`SELECT max(${d}) FROM ${t}`)).slice(0, 4));
      if (!(year > 1900)) continue;
      const yearOf =
        engine === 'duckdb' ? `year(${d}) = ${year}` : `strftime('%Y', ${d}) = '${year}'`;
      pairs.push(
        pair(
          'a year',
          `SELECT count(*) FROM ${t} WHERE ${yearOf}`,
          `SELECT count(*) FROM ${t} WHERE ${d} >= '${year}-01-01' AND ${d} < '${year + 1}-01-01'`,
        ),
        pair(
          'a year with its last day',
          `SELECT count(*) FROM ${t} WHERE ${d} BETWEEN '${year}-01-01' AND '${year}-12-31'`,
          `SELECT count(*) FROM ${t} WHERE ${yearOf}`,
        ),
      );
    }
    return pairs;
  },
];

export const equivalentPairs = (
  database: DescribedDatabase,
  ask: Ask,
): Promise<readonly SqlPair[]> => pairsOf(equivalentTemplates, database, ask);
