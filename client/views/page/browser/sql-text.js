/**
 * The library sql-formatter, which the page loads before this script.
 *
 * @type {{ format: (sql: string, options: object) => string } | undefined}
 */
const formatter = Reflect.get(globalThis, 'sqlFormatter');

/** Longer statements take too long to format, and are shown unchanged. */
const longest = 4000;

/**
 * A formatted statement; unchanged if it is not valid SQL.
 *
 * @param {string} sql
 */
export function sqlText(sql) {
  if (!formatter || sql.length > longest) return sql;
  try {
    return formatter.format(sql, { language: 'duckdb', keywordCase: 'upper' });
  } catch {
    return sql;
  }
}
