import { parseJson } from '../../formats/python/json.js';
import { parseLeadingLiteral } from '../../formats/python/literal.js';
import { strip } from '../../formats/python/text.js';
import type { ToolCall } from '../../models/chat-message.js';
import type {
  ActionFormatName,
  ProtocolName,
  TextFormatName,
  WrittenAction,
} from './action-format.js';
import { actionFormats } from './action-formats.js';
import { withParameters } from './action-object.js';
import type { Action, ActionName, Strictness } from './action.js';
import { bindAction } from './bind-action.js';
import { fencedText } from './fenced-text.js';
import { describeInvalid, noActionError, parameterError } from './parse-error.js';

/** What was read from a model's reply. An error is told to the model and costs it the turn. */
export type ParsedReply =
  | { readonly kind: 'action'; readonly thought: string; readonly action: Action }
  | { readonly kind: 'error'; readonly error: string };

export interface ReplyStyle {
  readonly actions: readonly ActionName[];
  readonly strictness: Strictness;
  readonly format: ActionFormatName;
  readonly protocol: ProtocolName;
}

type TextReplyStyle = ReplyStyle & { readonly format: TextFormatName };

/** Reads thought and action from a reply. Never throws; takes time linear in the reply. */
export function parseReply(
  reply: string,
  { format, ...style }: ReplyStyle,
  toolCalls: readonly ToolCall[] = [],
): ParsedReply {
  if (format === 'tools') return parseToolCalls(reply, toolCalls, style);
  return style.strictness === 'strict'
    ? parseStrictReply(reply, { ...style, format })
    : parseTolerantReply(reply, { ...style, format });
}

/** Reads a reply exactly as the reference does (hybrid-agent.md §3.1 to §3.4). */
function parseStrictReply(
  reply: string,
  { actions, format, protocol }: TextReplyStyle,
): ParsedReply {
  const react = protocol === 'react';
  const text = react ? reactAction(reply) : fencedText(reply, 'strict');
  const written = actionFormats[format].readStrictly(text, actions);
  if (written.kind === 'error') return written;
  const bound = bindAction(written.name, written.arguments, 'strict');
  if (bound.kind === 'error') return bound;
  const thought = react ? reactThought(reply) : null;
  return { kind: 'action', thought: thought ?? bound.thought ?? '', action: bound.action };
}

/** Each attempt may read to the end of the reply; with a bound on them a hostile reply costs linear time. */
const maxAttempts = 32;

/**
 * Reads a reply with the tolerances of hybrid-agent.md §3.6. An action stands behind a label, or, where no label has
 * one, anywhere. Of several the last counts, up to the first observation or thought that follows one: from there on
 * the model only imagines.
 */
function parseTolerantReply(reply: string, { actions, format }: TextReplyStyle): ParsedReply {
  const text = withoutThinking(reply);
  const reader = actionFormats[format];
  const marks = marksOf(text, reader.opening(actions));
  const found = findAction(marks, (mark) => {
    const { written, end } = reader.readLeniently(text, mark.start, actions);
    return { reading: readingOf(written), end: Math.max(end, mark.end) };
  });
  if (found === null) {
    return { kind: 'error', error: noActionError(actions, whyNoAction(text, marks)) };
  }
  return found.reading.kind === 'error'
    ? found.reading
    : { kind: 'action', thought: thoughtBefore(found, text, marks), action: found.reading.action };
}

function readingOf(written: WrittenAction): Reading {
  if (written.kind === 'error') return written;
  const bound = bindAction(written.name, written.arguments, 'tolerant');
  return bound.kind === 'error' ? bound : { kind: 'action', action: bound.action };
}

type Reading =
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: 'error'; readonly error: string };

interface FoundAction {
  readonly labelled: boolean;
  /** Of the label, or of the action where it has none. */
  readonly start: number;
  readonly end: number;
  readonly reading: Reading;
}

function findAction(
  marks: readonly Mark[],
  read: (mark: Mark) => { readonly reading: Reading; readonly end: number },
): FoundAction | null {
  let found: FoundAction | null = null;
  let label: Mark | null = null;
  let attempts = 0;
  for (const mark of marks) {
    if (found !== null && mark.start < found.end) continue;
    switch (mark.kind) {
      case 'action':
        label = mark;
        break;
      case 'observation':
        if (found !== null) return found;
        break;
      case 'thought':
        if (found?.labelled === true) return found;
        break;
      case 'opening': {
        if (++attempts > maxAttempts) return found;
        const next: FoundAction = {
          ...read(mark),
          labelled: label !== null,
          start: label?.start ?? mark.start,
        };
        label = null;
        if (found === null || outranks(next, found)) found = next;
      }
    }
  }
  return found;
}

/** The last action counts, but a mention of one in passing does not replace a labelled one, nor a broken one a good one. */
function outranks(next: FoundAction, found: FoundAction): boolean {
  if (next.labelled !== found.labelled) return next.labelled;
  return next.reading.kind === 'action' || found.reading.kind === 'error';
}

function whyNoAction(text: string, marks: readonly Mark[]): string {
  const label = marks.findLast((mark) => mark.kind === 'action');
  if (label === undefined) return 'It names no action';
  const [, name] = /^[\s`*:]{0,20}([A-Za-z_]\w{0,39})\s?\(/.exec(text.slice(label.end)) ?? [];
  return name === undefined ? 'No action follows its label' : `There is no action ${name}`;
}

/** From the first thought label to the action; all that precedes the action where there is no such label. */
function thoughtBefore({ start }: FoundAction, text: string, marks: readonly Mark[]): string {
  const label = marks.find((mark) => mark.kind === 'thought' && mark.start < start);
  const thought = text.slice(label?.end ?? 0, start).trimEnd();
  // Only a short tail can be the opening of a code fence or a list mark before the action.
  const tail = thought.slice(-20).replace(/(?:^|\n)[ \t]*(?:`{1,3}\w*|[-*>]|\d+\.)$/, '');
  return (thought.slice(0, -20) + tail).trim();
}

/** Reasoning models put their own thinking first; what they say after it is the reply. */
function withoutThinking(reply: string): string {
  const closing = /<\/think(?:ing)?>/i.exec(reply);
  return closing && /^\s*<think(?:ing)?>/i.test(reply)
    ? reply.slice(closing.index + closing[0].length)
    : reply;
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

/** What stands between the labels of thought and action; null where there are none (hybrid-agent.md §3.1). */
function reactThought(reply: string): string | null {
  for (const { thought, action } of labels) {
    const after = find(thought, reply, 0);
    const before = after && find(action, reply, after.end);
    if (before) return strip(reply.slice(after.end, before.start));
  }
  return null;
}

/** What follows the label of the action, up to an observation; the whole reply where there is no such label. */
function reactAction(reply: string): string {
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

/** A place in a reply that says what follows: a label of the protocol, or what an action begins with. */
interface Mark {
  readonly kind: 'thought' | 'action' | 'observation' | 'opening';
  readonly start: number;
  readonly end: number;
}

const word = '(?:thought|thinking|think|action|observation) ?\\d{0,2}';
const notInWord = '(?<![\\p{L}\\p{N}_])';

const heading = '^ {0,3}#{1,6} {0,3}';

/** `[Action]:`, `[Action]`, `**Action**:`, `**Action:**`, `Action:` and, as a heading, `Action` alone, whatever the case. */
const labelForms = [
  `(?:${heading})?\\[ ?${word} ?\\](?:[*_]{0,2} ?[:\\uff1a])?`,
  `(?:${heading})?[*_]{2} ?${word} ?[:\\uff1a]?[*_]{2}(?: ?[:\\uff1a])?`,
  `${heading}${word}(?= {0,3}$)`,
  `(?:${heading})?${notInWord}${word} ?[:\\uff1a][*_]{0,2}`,
];

/** All marks in the order they stand, those inside an action among them. `opening` is the source of a pattern. */
function marksOf(reply: string, opening: string): readonly Mark[] {
  const pattern = new RegExp(`(?<label>${labelForms.join('|')})|${opening}`, 'gimu');
  return Array.from(reply.matchAll(pattern), (match): Mark => {
    const start = match.index;
    const label = match.groups?.['label'];
    const kind = label === undefined ? 'opening' : labelKind(label);
    return { kind, start, end: start + match[0].length };
  });
}

function labelKind(label: string): Mark['kind'] {
  const lower = label.toLowerCase();
  if (lower.includes('action')) return 'action';
  return lower.includes('observation') ? 'observation' : 'thought';
}

/**
 * Reads the first of the calls a provider reports; what the model says beside it is its thought. Some servers leave
 * a call in the text: it is looked for there, as JSON, where none is reported.
 */
function parseToolCalls(
  content: string,
  toolCalls: readonly ToolCall[],
  { actions, strictness, protocol }: Omit<ReplyStyle, 'format'>,
): ParsedReply {
  const [call] = toolCalls;
  if (call === undefined) {
    return parseTolerantReply(content, { actions, strictness, protocol, format: 'json' });
  }
  const name = actions.find((action) => action === call.name);
  if (name === undefined) {
    return {
      kind: 'error',
      error: noActionError(actions, `There is no action ${call.name.slice(0, 40)}`),
    };
  }
  const text = call.argumentsText.trim() === '' ? '{}' : call.argumentsText.trim();
  const strict = parseJson(text);
  const parsed = strict.kind === 'parsed' ? strict : parseLeadingLiteral(text, 0, 'lenient');
  if (parsed.kind === 'invalid') {
    return { kind: 'error', error: parameterError(name, describeInvalid(parsed, text)) };
  }
  const written = withParameters(name, parsed.value);
  if (written.kind === 'error') return written;
  const bound = bindAction(name, written.arguments, 'tolerant');
  return bound.kind === 'error'
    ? bound
    : { kind: 'action', thought: content.trim(), action: bound.action };
}
