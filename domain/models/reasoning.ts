export interface SplitReply {
  /** What is left for the reader. */
  readonly content: string;
  /** What the model thought before or between; null where it did not think aloud. */
  readonly reasoning: string | null;
}

/** Marks that open models put around their thinking: DeepSeek and Qwen, Claude when prompted, Mistral, Seed. */
const marks = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
  ['<seed:think>', '</seed:think>'],
] as const;

/**
 * Separates thinking from content. A block counts where it begins a line, so that a reply may speak of the marks.
 * One that is never closed was cut off: all of the rest is thinking. A closing mark without an opening one ends
 * thinking that began in the prompt, as chat templates do it.
 */
export function splitReasoning(reply: string): SplitReply {
  const kept: string[] = [];
  const thought: string[] = [];
  let rest = reply;
  const dangling = danglingEnd(reply);
  if (dangling !== null) {
    thought.push(reply.slice(0, dangling.at));
    rest = reply.slice(dangling.at + dangling.length);
  }
  for (;;) {
    const block = firstBlock(rest);
    if (block === null) break;
    kept.push(rest.slice(0, block.start));
    thought.push(block.thought);
    rest = rest.slice(block.end);
  }
  if (thought.length === 0) return { content: reply, reasoning: null };
  const reasoning = thought
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join('\n\n');
  return {
    content: [...kept, rest].join('').trim(),
    reasoning: reasoning === '' ? null : reasoning,
  };
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly thought: string;
}

function firstBlock(text: string): Block | null {
  const blocks = marks.flatMap(([open, close]): Block[] => {
    const start = atLineStart(text, open);
    if (start === null) return [];
    const from = start + open.length;
    const to = text.indexOf(close, from);
    return to === -1
      ? [{ start, end: text.length, thought: text.slice(from) }]
      : [{ start, end: to + close.length, thought: text.slice(from, to) }];
  });
  return blocks.reduce<Block | null>(
    (first, block) => (first === null || block.start < first.start ? block : first),
    null,
  );
}

/** Where `mark` first stands with nothing but blanks before it on its line. */
function atLineStart(text: string, mark: string): number | null {
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
    if (text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '') return at;
  }
  return null;
}

/** A closing mark that nothing opened. */
function danglingEnd(text: string): { readonly at: number; readonly length: number } | null {
  for (const [open, close] of marks) {
    const at = text.indexOf(close);
    if (at === -1) continue;
    const opened = text.indexOf(open);
    if (opened === -1 || opened > at) return { at, length: close.length };
  }
  return null;
}
