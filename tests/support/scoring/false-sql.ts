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

/** Answers that are wrong, and may match on the real rows. */
const falseTemplates: readonly Template[] = [
  async ({ t, numbers, texts, nullable }, ask) => {
    const pairs: SqlPair[] = [];
    for (const n of numbers) {
      const [low, high] = [
        await ask(`SELECT min(${n}) FROM ${t}`),
        await ask(`SELECT max(${n}) FROM ${t}`),
      ];
      if (!isText(low) || !isText(high)) continue;
      const between = (Number(low) + Number(high)) / 2;
      for (const [at, c] of [
        between,
        Math.round(between) + 0,
        Number(high) + 1,
        Number(low) - 1,
      ].entries()) {
        const [less, more] = at === 3 ? ['>', '>='] : ['<', '<='];
        pairs.push(
          pair(
            '< and <=',
            `SELECT count(*) FROM ${t} WHERE ${n} ${less} ${c}`,
            `SELECT count(*) FROM ${t} WHERE ${n} ${more} ${c}`,
          ),
        );
      }
      pairs.push(
        pair('a number written down', `SELECT count(*) FROM ${t} WHERE ${n} = ${low}`, `SELECT 1`),
        pair(
          'the first of those that tie',
          `SELECT ${texts[0] ?? n} FROM ${t} WHERE ${n} = (SELECT max(${n}) FROM ${t})`,
          `SELECT ${texts[0] ?? n} FROM ${t} WHERE ${n} IS NOT NULL ORDER BY ${n} DESC LIMIT 1`,
        ),
        pair(
          'a condition that all rows meet',
          `SELECT count(*) FROM ${t} WHERE ${n} >= ${low}`,
          `SELECT count(*) FROM ${t} WHERE ${n} IS NOT NULL`,
        ),
        pair(
          'sum of distinct values',
          `SELECT sum(${n}) FROM ${t} WHERE ${n} > ${between}`,
          `SELECT sum(DISTINCT ${n}) FROM ${t} WHERE ${n} > ${between}`,
        ),
        ...(nullable.includes(n)
          ? [
              pair(
                'average over all rows',
                `SELECT avg(${n}) FROM ${t}`,
                `SELECT sum(${n}) * 1.0 / count(*) FROM ${t}`,
              ),
            ]
          : []),
        ...(nullable.includes(n)
          ? [
              pair(
                'NULL as zero',
                `SELECT count(*) FROM ${t} WHERE ${n} < ${between}`,
                `SELECT count(*) FROM ${t} WHERE coalesce(${n}, 0) < ${between}`,
              ),
            ]
          : []),
        ...numbers
          .filter((other) => other !== n)
          .map((other) =>
            pair(
              'another column in the condition',
              `SELECT count(*) FROM ${t} WHERE ${n} > ${high}`,
              `SELECT count(*) FROM ${t} WHERE ${other} > ${high} AND ${n} > ${between}`,
            ),
          ),
      );
      for (const s of texts) {
        pairs.push(
          pair(
            'AND and OR',
            `SELECT count(*) FROM ${t} WHERE ${n} > ${high} OR ${s} = 'nobody'`,
            `SELECT count(*) FROM ${t} WHERE ${n} > ${high} AND ${s} = 'nobody'`,
          ),
          pair(
            'HAVING at the edge',
            `SELECT ${s} FROM ${t} GROUP BY ${s} HAVING count(*) > 1`,
            `SELECT ${s} FROM ${t} GROUP BY ${s} HAVING count(*) >= 1`,
          ),
          pair(
            'HAVING at the edge',
            `SELECT ${s} FROM ${t} GROUP BY ${s} HAVING count(*) >= 3`,
            `SELECT ${s} FROM ${t} GROUP BY ${s} HAVING count(*) > 3`,
          ),
          pair(
            'HAVING of a sum',
            `SELECT ${s} FROM ${t} GROUP BY ${s} HAVING sum(${n}) >= ${Number(high) + 3}`,
            `SELECT ${s} FROM ${t} GROUP BY ${s} HAVING sum(${n}) > ${Number(high) + 3}`,
          ),
          pair(
            'MIN for MAX',
            `SELECT ${s}, max(${n}) FROM ${t} GROUP BY ${s}`,
            `SELECT ${s}, min(${n}) FROM ${t} GROUP BY ${s}`,
          ),
          pair(
            'order by another column',
            `SELECT ${s} FROM ${t} WHERE ${n} IS NOT NULL ORDER BY ${n}, ${s} LIMIT 1`,
            `SELECT ${s} FROM ${t} WHERE ${n} IS NOT NULL ORDER BY ${s} LIMIT 1`,
          ),
        );
      }
    }
    pairs.push(
      ...nullable.map((c) =>
        pair('COUNT of a column', `SELECT count(*) FROM ${t}`, `SELECT count(${c}) FROM ${t}`),
      ),
    );
    return pairs;
  },
  async ({ t, p, texts, nullable }, ask, engine) => {
    const pairs: SqlPair[] = [];
    for (const s of texts) {
      const some = await ask(`SELECT min(${s}) FROM ${t}`);
      const most = await ask(
        `SELECT ${s} FROM ${t} GROUP BY ${s} ORDER BY count(*) DESC, ${s} LIMIT 1`,
      );
      if (!isText(some) || !isText(most)) continue;
      const begin = String(some).slice(0, 3);
      pairs.push(
        pair('DISTINCT', `SELECT DISTINCT ${s} FROM ${t}`, `SELECT ${s} FROM ${t}`),
        pair(
          'COUNT DISTINCT',
          `SELECT count(DISTINCT ${s}) FROM ${t}`,
          `SELECT count(${s}) FROM ${t}`,
        ),
        pair(
          'UNION ALL',
          `SELECT ${s} FROM ${t} WHERE ${s} = ${quote(some)} UNION SELECT ${s} FROM ${t} WHERE ${s} > ${quote(some)}`,
          `SELECT ${s} FROM ${t} WHERE ${s} = ${quote(some)} UNION ALL SELECT ${s} FROM ${t} WHERE ${s} > ${quote(some)}`,
        ),
        pair(
          'equal and LIKE',
          `SELECT count(*) FROM ${t} WHERE ${s} = ${quote(most)}`,
          `SELECT count(*) FROM ${t} WHERE ${s} LIKE ${quote(`%${most}%`)}`,
        ),
        ...(nullable.includes(s)
          ? [
              pair(
                'without NULL',
                `SELECT count(*) FROM ${t} WHERE ${s} <> ${quote(most)}`,
                `SELECT count(*) FROM ${t} WHERE ${s} <> ${quote(most)} OR ${s} IS NULL`,
              ),
            ]
          : []),
        ...(engine === 'duckdb'
          ? [
              pair(
                'LIKE in another case',
                `SELECT count(*) FROM ${t} WHERE ${s} LIKE ${quote(`${begin}%`)}`,
                `SELECT count(*) FROM ${t} WHERE ${s} ILIKE ${quote(`${begin}%`)}`,
              ),
            ]
          : []),
        ...texts
          .filter((other) => other > s)
          .map((other) =>
            pair(
              'another column',
              `SELECT count(DISTINCT ${s}) FROM ${t}`,
              `SELECT count(DISTINCT ${other}) FROM ${t}`,
            ),
          ),
        ...(p === null
          ? []
          : [
              pair(
                'one of several by =',
                `SELECT count(*) FROM ${t} WHERE ${p} IN (SELECT ${p} FROM ${t} WHERE ${s} = ${quote(some)})`,
                `SELECT count(*) FROM ${t} WHERE ${p} = (SELECT ${p} FROM ${t} WHERE ${s} = ${quote(some)})`,
              ),
              pair(
                'GROUP BY a name',
                `SELECT ${s}, count(*) FROM ${t} GROUP BY ${p}, ${s}`,
                `SELECT ${s}, count(*) FROM ${t} GROUP BY ${s}`,
              ),
            ]),
      );
    }
    return pairs;
  },
  ({ t, p, parents, numbers }) =>
    Promise.resolve(
      parents.flatMap(({ f, u, k, label }) => {
        const name = label ?? k;
        const [n = f] = numbers;
        return [
          pair(
            'LEFT and INNER JOIN',
            `SELECT o.${name}, count(i.${f}) FROM ${u} AS o LEFT JOIN ${t} AS i ON i.${f} = o.${k} GROUP BY o.${k}, o.${name}`,
            `SELECT o.${name}, count(i.${f}) FROM ${u} AS o JOIN ${t} AS i ON i.${f} = o.${k} GROUP BY o.${k}, o.${name}`,
          ),
          pair(
            'those with a partner',
            `SELECT count(DISTINCT ${f}) FROM ${t}`,
            `SELECT count(*) FROM ${u}`,
          ),
          pair(
            'rows for names',
            `SELECT DISTINCT o.${name} FROM ${u} AS o JOIN ${t} AS i ON i.${f} = o.${k}`,
            `SELECT o.${name} FROM ${u} AS o JOIN ${t} AS i ON i.${f} = o.${k}`,
          ),
          pair(
            'GROUP BY a name behind a join',
            `SELECT o.${name}, sum(i.${n}) FROM ${u} AS o JOIN ${t} AS i ON i.${f} = o.${k} GROUP BY o.${k}, o.${name}`,
            `SELECT o.${name}, sum(i.${n}) FROM ${u} AS o JOIN ${t} AS i ON i.${f} = o.${k} GROUP BY o.${name}`,
          ),
          pair(
            'HAVING behind a join',
            `SELECT o.${k} FROM ${u} AS o JOIN ${t} AS i ON i.${f} = o.${k} GROUP BY o.${k} HAVING count(*) >= 2`,
            `SELECT o.${k} FROM ${u} AS o JOIN ${t} AS i ON i.${f} = o.${k} GROUP BY o.${k} HAVING count(*) > 0`,
          ),
          ...(p === null || p === f
            ? []
            : [
                pair(
                  'a join that multiplies',
                  `SELECT count(*) FROM ${u}`,
                  `SELECT count(*) FROM ${u} AS o LEFT JOIN ${t} AS i ON i.${f} = o.${k}`,
                ),
              ]),
        ];
      }),
    ),
  async ({ t, days }, ask, engine) => {
    const pairs: SqlPair[] = [];
    for (const d of days) {
      const last = Number(String(await ask(`SELECT max(${d}) FROM ${t}`)).slice(0, 4));
      if (!(last > 1900)) continue;
      const yearOf = (sign: string): string =>
        engine === 'duckdb'
          ? `year(${d}) ${sign} ${last}`
          : `strftime('%Y', ${d}) ${sign} '${last}'`;
      pairs.push(
        pair(
          'a year without its end',
          `SELECT count(*) FROM ${t} WHERE ${yearOf('=')}`,
          `SELECT count(*) FROM ${t} WHERE ${d} >= '${last}-01-01'`,
        ),
        pair(
          'a year without its last day',
          `SELECT count(*) FROM ${t} WHERE ${yearOf('=')}`,
          `SELECT count(*) FROM ${t} WHERE ${d} >= '${last}-01-01' AND ${d} < '${last}-12-31'`,
        ),
        pair(
          'a year that all rows have',
          `SELECT count(*) FROM ${t} WHERE ${yearOf('<=')}`,
          `SELECT count(${d}) FROM ${t}`,
        ),
      );
    }
    return pairs;
  },
];

/** Not all match on the real rows. */
export const falsePairs = (database: DescribedDatabase, ask: Ask): Promise<readonly SqlPair[]> =>
  pairsOf(falseTemplates, database, ask);
