import type { Action, ActionName } from './action.js';
import { bindAction } from './bind-action.js';
import { describeInvalid, noActionError, parameterError } from './parse-error.js';
import type { ParsedReply } from './parse-reply.js';
import { parseLeadingCall } from '../python/literal.js';
import { marksOf, type Mark } from './reply-marks.js';

/** Each attempt may read to the end of the reply; with a bound on them a hostile reply costs linear time. */
const maxAttempts = 32;

/**
 * Reads a reply with the tolerances of hybrid-agent.md §3.6. An action stands behind a label, or, where no label has
 * one, anywhere. Of several the last counts, up to the first observation or thought that follows one: from there on
 * the model only imagines.
 */
export function parseTolerantReply(reply: string, actions: readonly ActionName[]): ParsedReply {
  const text = withoutThinking(reply);
  const marks = marksOf(text, actions);
  const found = findCall(text, marks);
  if (found === null) {
    return { kind: 'error', error: noActionError(actions, whyNoAction(text, marks)) };
  }
  return found.reading.kind === 'error'
    ? found.reading
    : { kind: 'action', thought: thoughtBefore(found, text, marks), action: found.reading.action };
}

type Reading =
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: 'error'; readonly error: string };

interface FoundCall {
  readonly labelled: boolean;
  /** Of the label, or of the call where it has none. */
  readonly start: number;
  readonly end: number;
  readonly reading: Reading;
}

function findCall(text: string, marks: readonly Mark[]): FoundCall | null {
  let found: FoundCall | null = null;
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
      case 'call': {
        if (++attempts > maxAttempts) return found;
        const next = readCall(text, mark, label);
        label = null;
        if (found === null || outranks(next, found)) found = next;
      }
    }
  }
  return found;
}

/** The last call counts, but a mention of an action in passing does not replace a labelled one, nor a broken call a good one. */
function outranks(next: FoundCall, found: FoundCall): boolean {
  if (next.labelled !== found.labelled) return next.labelled;
  return next.reading.kind === 'action' || found.reading.kind === 'error';
}

function readCall(
  text: string,
  mark: Extract<Mark, { readonly kind: 'call' }>,
  label: Mark | null,
): FoundCall {
  const parsed = parseLeadingCall(text, mark.start, 'lenient');
  const place = { labelled: label !== null, start: label?.start ?? mark.start };
  if (parsed.kind === 'invalid') {
    const error = parameterError(mark.name, describeInvalid(parsed, text));
    return { ...place, end: mark.end, reading: { kind: 'error', error } };
  }
  const bound = bindAction(mark.name, parsed.call, 'tolerant');
  return {
    ...place,
    end: parsed.end,
    reading: bound.kind === 'error' ? bound : { kind: 'action', action: bound.action },
  };
}

function whyNoAction(text: string, marks: readonly Mark[]): string {
  const label = marks.findLast((mark) => mark.kind === 'action');
  if (label === undefined) return 'It names no action';
  const [, name] = /^[\s`*:]{0,20}([A-Za-z_]\w{0,39})\s?\(/.exec(text.slice(label.end)) ?? [];
  return name === undefined ? 'No action follows its label' : `There is no action ${name}`;
}

/** From the first thought label to the action; all that precedes the action where there is no such label. */
function thoughtBefore({ start }: FoundCall, text: string, marks: readonly Mark[]): string {
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
