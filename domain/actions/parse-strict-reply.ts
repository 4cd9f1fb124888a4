import type { ActionName } from './action.js';
import { bindAction } from './bind-action.js';
import { describeInvalid, noActionError, parameterError } from './parse-error.js';
import type { ParsedReply } from './parse-reply.js';
import { parsePythonCall } from '../python/literal.js';
import { strip } from '../python/whitespace.js';

/** Reads a reply exactly as the reference's react protocol with markdown actions does (hybrid-agent.md §3.1 to §3.4). */
export function parseStrictReply(reply: string, actions: readonly ActionName[]): ParsedReply {
  const text = actionText(reply);
  const name = actions.find((action) => action === nameBeforeParenthesis(text));
  if (name === undefined) return { kind: 'error', error: noActionError(actions) };
  const parsed = parsePythonCall(text);
  if (parsed.kind === 'invalid') {
    return { kind: 'error', error: parameterError(name, describeInvalid(parsed, text)) };
  }
  const bound = bindAction(name, parsed.call, 'strict');
  if (bound.kind === 'error') return bound;
  return { kind: 'action', thought: thoughtOf(reply) ?? bound.thought ?? '', action: bound.action };
}

const notWord = '(?<![\\p{L}\\p{N}_])';
const label = (word: string) => new RegExp(`\\[?${notWord}(?:${word})\\]?:`, 'giu');
const boldLabel = (word: string) => new RegExp(`\\*\\*(?:${word})\\*\\*:`, 'giu');

/** The reference first looks for plain labels, then for bold ones. */
const labels = [label, boldLabel].map((form) => ({
  thought: form('Thought|thinking|think'),
  action: form('Action'),
  observation: form('Observation'),
}));

function thoughtOf(reply: string): string | null {
  for (const { thought, action } of labels) {
    const after = find(thought, reply, 0);
    const before = after && find(action, reply, after.end);
    if (before) return strip(reply.slice(after.end, before.start));
  }
  return null;
}

function actionText(reply: string): string {
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

function nameBeforeParenthesis(text: string): string {
  const end = text.indexOf('(');
  return strip(text.slice(text.lastIndexOf('\n', end) + 1, Math.max(end, 0)));
}
