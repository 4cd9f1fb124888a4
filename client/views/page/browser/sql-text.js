/**
 * The library of that name, which the page holds before this script.
 *
 * @type {{ format: (sql: string, options: object) => string } | undefined}
 */
const formatter = Reflect.get(globalThis, 'sqlFormatter');

/** Statements that are longer take longer to format than a reader waits, and are shown as they are. */
const longest = 4000;

/**
 * A statement laid out for reading; as the model wrote it where it is no SQL that can be read.
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
