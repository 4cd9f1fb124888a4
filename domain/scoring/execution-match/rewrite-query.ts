import { strip } from '../../formats/python/text.js';

/**
 * The query as Spider's test suite runs it: without `DISTINCT`, with `> =`, `< =` and `! =` closed up and the current year as
 * 2020. Unlike there, statements after the first one are kept.
 */
export function spiderQuery(sql: string): string {
  return sql
    .replaceAll('> =', '>=')
    .replaceAll('< =', '<=')
    .replaceAll('! =', '!=')
    .replace(distinctOrText, (part) => (part.toLowerCase() === 'distinct' ? '' : part))
    .replace(/YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*/gi, '2020');
}

/** The keyword, or a text, quoted name or comment that may contain it. */
const distinctOrText =
  /'(?:''|\\'|[^'])*'|"(?:""|\\"|[^"])*"|`(?:``|[^`])*`|(?<![\w\])])\[[^\][]+\]|(?:--|# ).*|\/\*[\s\S]*?\*\/|(?<![\w$#@:?])distinct(?![\w$#])/gi;

/** The query as LiveSQLBench runs it: without comments, without each word `DISTINCT` between blanks, and without `ROUND`. */
export function livesqlQuery(sql: string): string {
  const plain = strip(
    sql
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/--[^\n]*?(\r\n|\r|\n)/g, '$1')
      .replace(/\n\s*\n+/g, '\n'),
  );
  const words = plain.split(' ').filter((word) => word.toLowerCase() !== 'distinct');
  return withoutRound(words.join(' '));
}

/** Replaces each call of `ROUND`, and each name that ends so, by its first argument. Brackets in texts count as brackets. */
function withoutRound(sql: string): string {
  for (let text = sql; ;) {
    const call = /ROUND\s*\(/i.exec(text);
    if (!call) return text;
    const start = call.index + call[0].length;
    const end = closingBracket(text, start);
    if (end === -1) return text;
    const argument = strip(text.slice(start, argumentEnd(text, start)));
    text = text.slice(0, call.index) + argument + text.slice(end + 1);
  }
}

/** @param start - the position after the opening bracket */
function closingBracket(text: string, start: number): number {
  let open = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '(') open += 1;
    if (text[at] === ')') open -= 1;
    if (open === 0) return at;
  }
  return -1;
}

/** The position of the first comma or closing bracket outside inner brackets. */
function argumentEnd(text: string, start: number): number {
  let open = 0;
  for (let at = start; at < text.length; at += 1) {
    if (open === 0 && (text[at] === ')' || text[at] === ',')) return at;
    if (text[at] === '(') open += 1;
    if (text[at] === ')') open -= 1;
  }
  return text.length;
}
