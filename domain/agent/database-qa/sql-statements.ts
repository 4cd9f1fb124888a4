import { semicolonsOf, withoutLeadingComments } from '../../formats/sql.js';

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

/** The statements of SQL as they were written, without those that hold nothing but comments. */
export function statementsOf(sql: string): readonly string[] {
  const ends = [...semicolonsOf(sql), sql.length];
  return ends
    .map((end, index) => sql.slice(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end).trim())
    .filter((statement) => withoutLeadingComments(statement) !== '');
}
