import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { duckdb, formatDialect } from 'sql-formatter';

/** Longer statements take too long to lay out, and are shown unchanged. */
const longest = 4000;

/** A statement, laid out; unchanged if it is not valid SQL. */
export function Sql({ sql }: { readonly sql: string }): JSX.Element {
  const text = useMemo(() => {
    if (sql.length > longest) return sql;
    try {
      return formatDialect(sql, { dialect: duckdb, keywordCase: 'upper' });
    } catch {
      return sql;
    }
  }, [sql]);
  return <pre class="sql">{text}</pre>;
}
