/** Texts, quoted names, comments, dollar quotes and semicolons. What is not closed reaches to the end, except a backtick. */
export const sqlParts =
  /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`[^`]*`|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|;/g;

/** The positions of the semicolons that end statements: those outside of texts, names and comments. */
export const semicolonsOf = (sql: string): readonly number[] =>
  [...sql.matchAll(sqlParts)].filter(([part]) => part === ';').map(({ index }) => index);

/** Empty for a statement that holds nothing but comments. */
export const withoutLeadingComments = (statement: string): string =>
  statement.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/, '');

/** A text as SQL must write it. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
