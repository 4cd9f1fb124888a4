const parts =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|;/g;

/** The statements of a script, without the semicolons between them. Quoted texts and comments may contain semicolons. */
export function statementsOf(script: string): readonly string[] {
  const ends = [...script.matchAll(parts)]
    .filter(([part]) => part === ';')
    .map(({ index }) => index);
  return [...ends, script.length]
    .map((end, place, all) => script.slice(place === 0 ? 0 : (all[place - 1] ?? 0) + 1, end).trim())
    .filter((statement) => firstWord(statement) !== '');
}

/** The first word of a statement in capitals, after its comments; empty if it has none. */
export const firstWord = (statement: string): string =>
  /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*([^\s(;]*)/.exec(statement)?.[1]?.toUpperCase() ?? '';

/**
 * A row's values with texts in single quotes. SQLite takes `"x"` for a text where no column can be meant, and scripts use it so.
 */
export function withTextsInSingleQuotes(statement: string): string {
  const values = /\bVALUES\b/i.exec(statement);
  if (!values || !/^(INSERT|REPLACE)$/.test(firstWord(statement))) return statement;
  const head = statement.slice(0, values.index);
  const rows = statement.slice(values.index).replaceAll(parts, (part) => {
    if (!part.startsWith('"')) return part;
    return `'${part.slice(1, -1).replaceAll('""', '"').replaceAll("'", "''")}'`;
  });
  return head + rows;
}
