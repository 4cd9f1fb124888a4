import { parseJson } from '../../formats/python/json.js';
import { parseLeadingLiteral } from '../../formats/python/literal.js';
import { strip, type PythonValue } from '../../formats/python/value.js';
import type { ToolCall } from '../../models/chat-message.js';
import type { ReplyRecord } from '../turn-record.js';
import type {
  Action,
  Strictness,
  ActionFormatName,
  ProtocolName,
  TextFormatName,
  WrittenAction,
  ActionRef,
  ActionSpec,
} from './action.js';
import { actionFormats } from './action-formats.js';
import { actionSpec } from './action-specs.js';
import { withParameters, bindAction } from './bind-action.js';
import { fencedText } from './fenced-text.js';
import { describeInvalid, noActionError, parameterError } from './parse-error.js';

/** The parsed reply of a model. The model sees an error as its observation, and the turn is used up. */
export type ParsedReply =
  | {
      readonly kind: 'action';
      readonly thought: string;
      /** Of several tool calls the one that answers, or else the last that can be read. */
      readonly action: Action;
      /** All tool calls up to `action`, or to the last one, in order; absent if there is one. */
      readonly calls?: readonly CalledAction[];
    }
  | { readonly kind: 'error'; readonly error: string };

/** One of several tool calls. `id` is the provider's. */
type CalledAction =
  | { readonly kind: 'action'; readonly id: string; readonly action: Action }
  | { readonly kind: 'error'; readonly id: string; readonly error: string };

export interface ReplyStyle {
  readonly actions: readonly ActionRef[];
  readonly strictness: Strictness;
  readonly format: ActionFormatName;
  readonly protocol: ProtocolName;
}

/** A style whose actions are looked up. */
type SpecifiedStyle = Omit<ReplyStyle, 'actions'> & { readonly actions: readonly ActionSpec[] };

type TextReplyStyle = SpecifiedStyle & { readonly format: TextFormatName };

/** Reads the thought and the action of a reply. Never throws. Takes time linear in the length of the reply. */
export function parseReply(
  reply: string,
  { format, actions, ...rest }: ReplyStyle,
  toolCalls: readonly ToolCall[] = [],
): ParsedReply {
  const style = { ...rest, actions: actions.map((action) => actionSpec(action)) };
  if (format === 'tools') return parseToolCalls(reply, toolCalls, style);
  return style.strictness === 'strict'
    ? parseStrictReply(reply, { ...style, format })
    : parseTolerantReply(reply, { ...style, format });
}

/** Reads a reply exactly as the reference system does. */
function parseStrictReply(
  reply: string,
  { actions, format, protocol }: TextReplyStyle,
): ParsedReply {
  const react = protocol === 'react';
  const text = react ? reactAction(reply) : fencedText(reply, 'strict');
  const written = actionFormats[format].readStrictly(text, actions);
  if (written.kind === 'error') return written;
  const bound = bindAction(written.spec, written.arguments, 'strict');
  if (bound.kind === 'error') return bound;
  const thought = react ? reactThought(reply) : null;
  return { kind: 'action', thought: thought ?? bound.thought ?? '', action: bound.action };
}

/** One attempt may read to the end of the reply. The bound keeps the total time linear for any reply. */
const maxAttempts = 32;

/**
 * Reads a reply tolerantly (docs/reference/hybrid-agent.md, "Reading replies"). A labelled action takes precedence over one
 * without a label. Of several actions the last counts. Reading stops at the first observation label after an action, and
 * at the first thought label after a labelled one: the model invents what follows.
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
    return { kind: 'error', error: noActionError(actions, reasonForNoAction(text, marks)) };
  }
  return found.reading.kind === 'error'
    ? found.reading
    : { kind: 'action', thought: thoughtBefore(found, text, marks), action: found.reading.action };
}

function readingOf(written: WrittenAction): Reading {
  if (written.kind === 'error') return written;
  const bound = bindAction(written.spec, written.arguments, 'tolerant');
  return bound.kind === 'error' ? bound : { kind: 'action', action: bound.action };
}

type Reading =
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: 'error'; readonly error: string };

interface FoundAction {
  readonly labelled: boolean;
  /** Position of the label, or of the action when it has no label. */
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

/** The last action counts, but an unlabelled action does not replace a labelled one, nor an invalid action a valid one. */
function outranks(next: FoundAction, found: FoundAction): boolean {
  if (next.labelled !== found.labelled) return next.labelled;
  return next.reading.kind === 'action' || found.reading.kind === 'error';
}

function reasonForNoAction(text: string, marks: readonly Mark[]): string {
  const label = marks.findLast((mark) => mark.kind === 'action');
  if (label === undefined) return 'It names no action';
  const [, name] = /^[\s`*:]{0,20}([A-Za-z_]\w{0,39})\s?\(/.exec(text.slice(label.end)) ?? [];
  return name === undefined ? 'No action follows its label' : `There is no action ${name}`;
}

/** The text from the first thought label to the action. Without such a label it is all text before the action. */
function thoughtBefore({ start }: FoundAction, text: string, marks: readonly Mark[]): string {
  const label = marks.find((mark) => mark.kind === 'thought' && mark.start < start);
  const thought = text.slice(label?.end ?? 0, start).trimEnd();
  // The last characters may be an opening code fence or a list mark that belongs to the action.
  const tail = thought.slice(-20).replace(/(?:^|\n)[ \t]*(?:`{1,3}\w*|[-*>]|\d+\.)$/, '');
  return (thought.slice(0, -20) + tail).trim();
}

/** Some models begin the reply with a `<think>` block; the reply is what follows it. */
function withoutThinking(reply: string): string {
  const closing = /<\/think(?:ing)?>/i.exec(reply);
  return closing && /^\s*<think(?:ing)?>/i.test(reply)
    ? reply.slice(closing.index + closing[0].length)
    : reply;
}

const notWord = '(?<![\\p{L}\\p{N}_])';
const label = (word: string) => new RegExp(`\\[?${notWord}(?:${word})\\]?:`, 'giu');
const boldLabel = (word: string) => new RegExp(`\\*\\*(?:${word})\\*\\*:`, 'giu');

/** The reference system first looks for plain labels, then for bold ones. */
const labels = [label, boldLabel].map((form) => ({
  thought: form('Thought|thinking|think'),
  action: form('Action'),
  observation: form('Observation'),
}));

/** The text between the thought label and the action label; null when one of them is missing. */
function reactThought(reply: string): string | null {
  for (const { thought, action } of labels) {
    const after = find(thought, reply, 0);
    const before = after && find(action, reply, after.end);
    if (before) return strip(reply.slice(after.end, before.start));
  }
  return null;
}

/** The text from the action label to the next observation label. Without an action label it is the whole reply. */
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

/** A position in a reply: a label of the protocol, or the possible beginning of an action. */
interface Mark {
  readonly kind: 'thought' | 'action' | 'observation' | 'opening';
  readonly start: number;
  readonly end: number;
}

const word = '(?:thought|thinking|think|action|observation) ?\\d{0,2}';

const heading = '^ {0,3}#{1,6} {0,3}';

/** Labels in any case: `[Action]:`, `[Action]`, `**Action**:`, `**Action:**`, `Action:`, and a heading `Action`. */
const labelForms = [
  `(?:${heading})?\\[ ?${word} ?\\](?:[*_]{0,2} ?[:\\uff1a])?`,
  `(?:${heading})?[*_]{2} ?${word} ?[:\\uff1a]?[*_]{2}(?: ?[:\\uff1a])?`,
  `${heading}${word}(?= {0,3}$)`,
  `(?:${heading})?${notWord}${word} ?[:\\uff1a][*_]{0,2}`,
];

/** All marks in text order, including marks inside an action. @param opening - the source of a pattern */
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
 * Reads the tool calls; the reply's text is the thought. A call that cannot be read spoils no other. Some servers leave the
 * call in the text, so a reply without tool calls is searched for a JSON action.
 */
function parseToolCalls(
  content: string,
  toolCalls: readonly ToolCall[],
  style: Omit<SpecifiedStyle, 'format'>,
): ParsedReply {
  const { actions, strictness } = style;
  if (toolCalls.length === 0) return parseTolerantReply(content, { ...style, format: 'json' });
  const read = toolCalls
    .slice(0, strictness === 'strict' ? 1 : undefined)
    .map((call): CalledAction => ({ ...readToolCall(call, actions), id: call.id }));
  const isAnswer = (call: CalledAction): boolean =>
    call.kind === 'action' && call.action.kind === 'GenerateAnswer';
  const answering = read.findIndex(isAnswer);
  // What is called after an answer comes too late.
  const calls = answering === -1 ? read : read.slice(0, answering + 1);
  const last = calls.findLast((call) => call.kind === 'action');
  if (last === undefined) {
    const errors = calls.flatMap((call) => (call.kind === 'error' ? [call.error] : []));
    return { kind: 'error', error: [...new Set(errors)].join(' ') };
  }
  const thought = content.trim();
  return { kind: 'action', thought, action: last.action, ...(calls.length > 1 && { calls }) };
}

function readToolCall(call: ToolCall, actions: readonly ActionSpec[]): Reading {
  const spec = calledAction(call.name, actions);
  if (spec === undefined) {
    const reason =
      call.name === '' ? 'A tool call has no name' : `There is no action ${call.name.slice(0, 40)}`;
    return { kind: 'error', error: noActionError(actions, reason) };
  }
  const parsed = argumentsIn(call.argumentsText);
  if (parsed.kind === 'error')
    return { kind: 'error', error: parameterError(spec.name, parsed.error) };
  return readingOf(withParameters(spec, parsed.value));
}

/** The action of a name, which some models and servers put into a namespace, or mark: `functions.X`, `X<|channel|>…`. */
function calledAction(name: string, actions: readonly ActionSpec[]): ActionSpec | undefined {
  const exact = actions.find((action) => action.name === name);
  if (exact !== undefined) return exact;
  const words = name.replace(/<\|.*$/s, '').split(/[.:/]|__/);
  const named = actions.filter((action) => action.name === words.at(-1)?.trim());
  return named.length === 1 ? named[0] : undefined;
}

/** How often arguments may have been encoded as a text. */
const mostEncodings = 3;

/** The arguments of a call. Some servers encode them as a JSON text once more. */
function argumentsIn(
  argumentsText: string,
):
  | { readonly kind: 'read'; readonly value: PythonValue }
  | { readonly kind: 'error'; readonly error: string } {
  let text = argumentsText.trim() === '' ? '{}' : argumentsText.trim();
  for (let encodings = 1; ; encodings += 1) {
    const strict = parseJson(text);
    const parsed = strict.kind === 'parsed' ? strict : parseLeadingLiteral(text, 0, 'lenient');
    if (parsed.kind === 'invalid') return { kind: 'error', error: describeInvalid(parsed, text) };
    const { value } = parsed;
    if (value.kind !== 'str' || encodings === mostEncodings) return { kind: 'read', value };
    text = value.value.trim();
  }
}

/** The style in which the conversation repeats turns. */
type HistoryStyle = Pick<ReplyStyle, 'format' | 'protocol' | 'strictness'>;

/**
 * The assistant message of a turn in later requests. It is rendered from the parsed action, so that formatting errors do
 * not repeat; an unreadable reply is kept as it is. A tool call is written as JSON.
 */
export function assistantMessage(
  parsed: ReplyRecord['reading'],
  rawReply: string,
  { format, protocol, strictness }: HistoryStyle,
): string {
  if (parsed.kind !== 'action') return rawReply;
  const text = format === 'tools' ? 'json' : format;
  const body = actionFormats[text].renderAction(parsed.action, strictness);
  const [opening, closing] = protocol === 'code_block' ? [`\`\`\`${text}\n`, '\n```'] : ['', ''];
  // The reference system drops the thought before an xml or yaml action.
  const dropsThought = strictness === 'strict' && (text === 'xml' || text === 'yaml');
  const before = dropsThought ? '' : `[Thought]: ${parsed.thought}\n[Action]:\n${opening}`;
  return before + body + closing;
}

/** The user message that holds the observation of a turn. */
export const observationMessage = (content: string): string =>
  `[Observation]:${content.includes('\n') ? '\n' : ' '}${content}`;
