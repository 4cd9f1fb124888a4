import { groupsOf } from '../../../domain/statistics/means.js';
import type { DatabaseTable, DescribedDatabase, Engine } from '../../../domain/stores/database.js';

/** A gold and an answer. */
export interface SqlPair {
  readonly template: string;
  readonly gold: string;
  readonly answer: string;
  readonly rule?: string;
}

/** A table of a database, and its columns by what they can be asked. */
interface Subject {
  readonly t: string;
  /** The primary key; null where it has several columns, or none. */
  readonly p: string | null;
  /** Numbers, texts and days that are no keys. */
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  readonly days: readonly string[];
  /** What may be NULL. */
  readonly nullable: readonly string[];
  /** Of one column: the column, the table, its key, and a text of that. */
  readonly parents: readonly {
    readonly f: string;
    readonly u: string;
    readonly k: string;
    readonly label: string | undefined;
    readonly nullable: boolean;
  }[];
}

/** The first column of the first row of a query; null where there is none. */
export type Ask = (sql: string) => Promise<unknown>;

const isKey = ({ primaryKey, foreignKeys }: DatabaseTable, name: string): boolean =>
  primaryKey.includes(name) || foreignKeys.some(({ columns }) => columns.includes(name));

function subjectOf(table: DatabaseTable, { tables }: DescribedDatabase): Subject {
  const free = table.columns.filter(({ name }) => !isKey(table, name) && !/_id$/.test(name));
  const named = (type: RegExp): readonly string[] =>
    free.filter((column) => type.test(column.type)).map(({ name }) => name);
  const textOf = (other: DatabaseTable | undefined): string | undefined =>
    other?.columns.find(({ name, type }) => /CHAR|TEXT/.test(type) && !isKey(other, name))?.name;
  return {
    t: table.name,
    p: table.primaryKey.length === 1 ? (table.primaryKey[0] ?? null) : null,
    numbers: named(/INT|DOUBLE|DECIMAL|REAL|FLOAT/),
    texts: named(/CHAR|TEXT/),
    days: named(/^DATE$/),
    nullable: free.filter(({ nullable }) => nullable).map(({ name }) => name),
    parents: table.foreignKeys.flatMap(({ columns: [f = '', ...more], table: u }) => {
      const other = tables.find(({ name }) => name === u);
      const [k, ...further] = other?.primaryKey ?? [];
      if (more.length > 0 || further.length > 0 || k === undefined) return [];
      const nullable = table.columns.find(({ name }) => name === f)?.nullable ?? true;
      return [{ f, u, k, label: textOf(other), nullable }];
    }),
  };
}

const quote = (text: unknown): string => `'${String(text).replaceAll("'", "''")}'`;
const isText = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '') || typeof value === 'number';

type Template = (subject: Subject, ask: Ask, engine: Engine) => Promise<readonly SqlPair[]>;
const pair = (template: string, gold: string, answer: string, rule?: string): SqlPair => ({
  ...{ template, gold, answer },
  ...(rule !== undefined && { rule }),
});

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

const made = async (
  templates: readonly Template[],
  database: DescribedDatabase,
  ask: Ask,
): Promise<readonly SqlPair[]> => {
  const pairs: SqlPair[] = [];
  for (const table of database.tables) {
    for (const template of templates) {
      pairs.push(...(await template(subjectOf(table, database), ask, database.engine ?? 'duckdb')));
    }
  }
  return pairs;
};

export const equivalentPairs = (
  database: DescribedDatabase,
  ask: Ask,
): Promise<readonly SqlPair[]> => made(equivalentTemplates, database, ask);

/** Not all match on the real rows. */
export const falsePairs = (database: DescribedDatabase, ask: Ask): Promise<readonly SqlPair[]> =>
  made(falseTemplates, database, ask);

/** So many of the pairs, from all templates alike. */
export function fromAllTemplates<T extends { readonly template: string }>(
  pairs: readonly T[],
  count: number,
): readonly T[] {
  const groups = [...groupsOf(pairs, ({ template }) => template).values()];
  const taken: T[] = [];
  for (
    let round = 0;
    taken.length < count && groups.some((group) => group.length > round);
    round += 1
  ) {
    // Of each group one from another place, so that they come from all databases.
    for (const group of groups) {
      const item = group[(round * 7) % group.length];
      if (item && !taken.includes(item) && taken.length < count) taken.push(item);
    }
  }
  return taken;
}
