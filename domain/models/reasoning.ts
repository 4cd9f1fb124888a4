interface SplitReply {
  /** The reply without reasoning. */
  readonly content: string;
  /** The text of the reasoning blocks; null when there is none. */
  readonly reasoning: string | null;
}

/** The marks around reasoning in the replies of DeepSeek and Qwen, prompted Claude, Mistral and Seed. */
const marks = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
  ['<seed:think>', '</seed:think>'],
] as const;

/**
 * Separates reasoning from content. A block must begin a line, so that a reply may mention the marks. The text after a block
 * that is not closed is reasoning, because the reply was cut off. The text before a closing mark without an opening one is
 * reasoning, because some chat templates put the opening mark into the prompt.
 */
export function splitReasoning(reply: string): SplitReply {
  if (channelHeader.test(reply)) return splitChannels(reply);
  const kept: string[] = [];
  const thought: string[] = [];
  let rest = reply;
  const unopened = unopenedClosingMark(reply);
  if (unopened !== null) {
    thought.push(reply.slice(0, unopened.at));
    rest = reply.slice(unopened.at + unopened.length);
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

/** The header of a message of OpenAI's open models, which some servers leave in the text. */
const channelHeader = /<\|channel\|>\s*(\w*)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>/;
/** A whole message, which a cut-off reply ends without a mark. */
const channelMessage = new RegExp(
  `${channelHeader.source}([\\s\\S]*?)(?:(?=<\\|(?:start|channel)\\|>)|<\\|(?:end|return|call)\\|>|$)`,
  'g',
);
const roleMark = /<\|start\|>\w*(?=<\|)/g;

/** Each message names its channel: `final` is the reply, as is text outside of all messages; all others are reasoning. */
function splitChannels(reply: string): SplitReply {
  const thought: string[] = [];
  const content = reply
    .replace(roleMark, '')
    .replace(channelMessage, (_, channel: string, text: string) => {
      if (channel === 'final') return text;
      thought.push(text.trim());
      return '';
    })
    .trim();
  const reasoning = thought.filter((piece) => piece !== '').join('\n\n');
  return { content, reasoning: reasoning === '' ? null : reasoning };
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

/** The first position of `mark` at the beginning of a line; white space may precede it. */
function atLineStart(text: string, mark: string): number | null {
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
    if (text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '') return at;
  }
  return null;
}

/** A closing mark without an opening one. */
function unopenedClosingMark(
  text: string,
): { readonly at: number; readonly length: number } | null {
  for (const [open, close] of marks) {
    const at = text.indexOf(close);
    if (at === -1) continue;
    const opened = text.indexOf(open);
    if (opened === -1 || opened > at) return { at, length: close.length };
  }
  return null;
}
