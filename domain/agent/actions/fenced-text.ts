import type { Strictness } from './action.js';
import { isBlank, strip } from '../../formats/python/value.js';

/** The content of a reply's last code fence, or the whole reply when it has none. */
export const fencedText = (reply: string, strictness: Strictness): string =>
  (strictness === 'strict' ? lastFenceStrictly(reply) : lastFence(reply)) ?? strip(reply);

const fence = '```';

/**
 * The last match of the reference system's pattern: three backticks, a language name that ends at the first white space,
 * and the content up to the next three backticks. When no white space precedes the closing fence, the content is empty.
 */
function lastFenceStrictly(reply: string): string | null {
  let found: string | null = null;
  for (let open = reply.indexOf(fence); open !== -1;) {
    const from = open + fence.length;
    let word = from;
    while (word < reply.length && !isBlank(reply.charAt(word))) word++;
    const close = reply.indexOf(fence, word);
    if (close !== -1) {
      found = strip(reply.slice(word, close));
      open = reply.indexOf(fence, close + fence.length);
    } else {
      const inWord = reply.lastIndexOf(fence, word - fence.length);
      if (inWord < from) return found;
      found = '';
      open = reply.indexOf(fence, inWord + fence.length);
    }
  }
  return found;
}

/** A fence on its own lines takes precedence: only such a block may contain backticks. An open fence ends with the reply. */
function lastFence(reply: string): string | null {
  return lastBlock(reply) ?? lastInline(reply);
}

function lastBlock(reply: string): string | null {
  let found: string | null = null;
  let open: string[] | null = null;
  for (const line of reply.split('\n')) {
    const [, marks, rest = ''] = /^\s*(`{3,})(.*)$/.exec(line) ?? [];
    if (marks === undefined) open?.push(line);
    else if (open !== null && rest.trim() === '') {
      found = open.join('\n');
      open = null;
    } else if (open === null && /^\s*[\w+-]*\s*$/.test(rest)) open = [];
    else open?.push(line);
  }
  return (open === null ? found : open.join('\n'))?.trim() ?? null;
}

const languages = /^(?:txt|text|plaintext|json|sql|python|py|yaml|xml|markdown|md)(?=\s)/i;

function lastInline(reply: string): string | null {
  const close = reply.lastIndexOf(fence);
  const open = reply.lastIndexOf(fence, close - 1);
  if (close === -1) return null;
  const inner =
    open === -1 || open + fence.length > close
      ? reply.slice(close + fence.length)
      : reply.slice(open + fence.length, close);
  return inner.replace(languages, '').trim();
}
