import { strip } from '../python/text.js';

const notWord = '(?<![\\p{L}\\p{N}_])';
const label = (word: string) => new RegExp(`\\[?${notWord}(?:${word})\\]?:`, 'giu');
const boldLabel = (word: string) => new RegExp(`\\*\\*(?:${word})\\*\\*:`, 'giu');

/** The reference first looks for plain labels, then for bold ones. */
const labels = [label, boldLabel].map((form) => ({
  thought: form('Thought|thinking|think'),
  action: form('Action'),
  observation: form('Observation'),
}));

/** What stands between the labels of thought and action; null where there are none (hybrid-agent.md §3.1). */
export function reactThought(reply: string): string | null {
  for (const { thought, action } of labels) {
    const after = find(thought, reply, 0);
    const before = after && find(action, reply, after.end);
    if (before) return strip(reply.slice(after.end, before.start));
  }
  return null;
}

/** What follows the label of the action, up to an observation; the whole reply where there is no such label. */
export function reactAction(reply: string): string {
  for (const { action, observation } of labels) {
    const after = find(action, reply, 0);
    if (after) return strip(reply.slice(after.end, find(observation, reply, after.end)?.start));
  }
  return strip(reply);
}

function find(
  pattern: RegExp,
  text: string,
  from: number,
): { readonly start: number; readonly end: number } | null {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match && { start: match.index, end: match.index + match[0].length };
}
