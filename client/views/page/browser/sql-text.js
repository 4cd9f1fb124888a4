/**
 * The library sql-formatter. The page loads it before a statement is shown.
 *
 * @returns {{ format: (sql: string, options: object) => string } | undefined}
 */
const formatter = () => Reflect.get(globalThis, 'sqlFormatter');

/** Longer statements take too long to format, and are shown unchanged. */
const longest = 4000;

/**
 * A formatted statement; unchanged if it is not valid SQL.
 *
 * @param {string} sql
 */
export function sqlText(sql) {
  const library = formatter();
  if (!library || sql.length > longest) return sql;
  try {
    return library.format(sql, { language: 'duckdb', keywordCase: 'upper' });
  } catch {
    return sql;
  }
}
