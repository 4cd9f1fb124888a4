import { actionFormats } from './action-formats.js';
import type { WrittenAction } from './action-format.js';
import type { Action } from './action.js';
import { bindAction } from './bind-action.js';
import { noActionError } from './parse-error.js';
import type { ParsedReply, TextReplyStyle } from './parse-reply.js';
import { marksOf, type Mark } from './reply-marks.js';

/** Each attempt may read to the end of the reply; with a bound on them a hostile reply costs linear time. */
const maxAttempts = 32;

/**
 * Reads a reply with the tolerances of hybrid-agent.md §3.6. An action stands behind a label, or, where no label has
 * one, anywhere. Of several the last counts, up to the first observation or thought that follows one: from there on
 * the model only imagines.
 */
export function parseTolerantReply(
  reply: string,
  { actions, format }: TextReplyStyle,
): ParsedReply {
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
