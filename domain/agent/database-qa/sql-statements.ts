/** A line that begins a query, not a sentence such as "With these tables, …". */
const beginsQuery =
  /^\s*\(*\s*(?:select\b|with\s+(?:recursive\s+)?["\w]+\s*(?:\([^)]*\)\s*)?as\b|from\s+["\w]|values\s*\()/i;

/**
 * The queries of a reply: its fenced blocks, else a JSON array of texts, else the statements that begin on a line of their
 * own. A block may hold several statements. Empty for a reply without SQL.
 */
export function queriesIn(reply: string): readonly string[] {
  const blocks = fencedBlocks(reply);
  const listed = blocks.length === 1 ? jsonTexts(blocks[0] ?? '') : jsonTexts(reply);
  if (listed !== null) return listed.flatMap(statementsOf);
  if (blocks.length > 0) return blocks.flatMap(statementsOf);
  return statementsOf(reply).flatMap((statement) => withoutProse(statement) ?? []);
}

/** The contents of closed code fences, and of one that the reply leaves open. */
function fencedBlocks(reply: string): readonly string[] {
  const blocks: string[] = [];
  let open: string[] | null = null;
  for (const line of reply.split('\n')) {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (!isFence) open?.push(line);
    else if (open === null) open = [];
    else {
      blocks.push(open.join('\n'));
      open = null;
    }
  }
  return open === null ? blocks : [...blocks, open.join('\n')];
}

/** Null for anything but a JSON array of texts, alone in the text. */
function jsonTexts(text: string): readonly string[] | null {
  if (!text.trim().startsWith('[')) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every((each) => typeof each === 'string')
      ? parsed
      : null;
  } catch {
    return null;
  }
}

/** The part of a text from the first line that begins a query; null if there is none. */
function withoutProse(text: string): string | null {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => beginsQuery.test(line));
  return first === -1 ? null : lines.slice(first).join('\n').trim();
}

/**
 * Splits SQL at its semicolons, except those in texts, quoted names, comments and dollar quotes. Parts that hold nothing but
 * comments are left out.
 */
export function statementsOf(sql: string): readonly string[] {
  const statements: string[] = [];
  let from = 0;
  let hasCode = false;
  const take = (to: number): void => {
    const statement = sql.slice(from, to).trim();
    if (hasCode) statements.push(statement);
    from = to + 1;
    hasCode = false;
  };
  for (const match of sql.matchAll(tokens)) {
    const [token] = match;
    if (token === ';') take(match.index);
    else if (!token.startsWith('--') && !token.startsWith('/*')) hasCode = true;
  }
  take(sql.length);
  return statements;
}

/** Comments, texts, quoted names, dollar quotes (the last ones also where they are not closed), semicolons, and other words. */
const tokens =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|;|[^\s;'"$/-]+|[$/-]/g;
