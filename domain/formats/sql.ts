/** The statements of a script, without the semicolons between them and the comments before them. */
export function statementsOf(script: string): readonly string[] {
  const statements: string[] = [];
  let begin = 0;
  for (const end of [...semicolonsOf(script), script.length]) {
    const statement = withoutLeadingComments(script.slice(begin, end)).trimEnd();
    // A trigger has statements of its own, up to its END.
    if (end < script.length && isOpenTrigger(statement)) continue;
    begin = end + 1;
    if (statement !== '') statements.push(statement);
  }
  return statements;
}

const isOpenTrigger = (statement: string): boolean =>
  /^CREATE\s+(TEMP\s+|TEMPORARY\s+)?TRIGGER\b/i.test(statement) && !/\bEND$/i.test(statement);

/** The first word of a statement, in capitals. */
export const firstWord = (statement: string): string =>
  /^[^\s(;]*/.exec(statement)?.[0].toUpperCase() ?? '';

/**
 * A row's values with texts in single quotes. SQLite takes `"x"` for a text where no column can be meant, and scripts use it so.
 */
export function withTextsInSingleQuotes(statement: string): string {
  const values = /\bVALUES\b/i.exec(statement);
  if (!values || !/^(INSERT|REPLACE)$/.test(firstWord(statement))) return statement;
  const head = statement.slice(0, values.index);
  const rows = statement.slice(values.index).replaceAll(sqlParts, (part) => {
    if (!/^".*"$/s.test(part)) return part;
    return `'${part.slice(1, -1).replaceAll('""', '"').replaceAll("'", "''")}'`;
  });
  return head + rows;
}

/** Texts, quoted names, comments, dollar quotes and semicolons. What is not closed reaches to the end, except a backtick. */
const sqlParts =
  /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`[^`]*`|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|;/g;

/** The positions of the semicolons that end statements: those outside of texts, names and comments. */
export const semicolonsOf = (sql: string): readonly number[] =>
  [...sql.matchAll(sqlParts)].filter(([part]) => part === ';').map(({ index }) => index);

/** Empty for a statement that holds nothing but comments. */
export const withoutLeadingComments = (statement: string): string =>
  statement.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/, '');

/** A text as SQL must write it. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
