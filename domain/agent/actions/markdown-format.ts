import { parseLeadingCall, parsePythonCall } from '../../formats/python/literal.js';
import { repr, strip } from '../../formats/python/value.js';
import type { ActionFormat, WrittenAction } from './action-format.js';
import type { ActionSpec, Field, ParameterSpec } from './action-spec.js';
import { fieldsOf } from './action-specs.js';
import { anyValueRepr, nameOfAction, type Action } from './action.js';
import { describeInvalid, noActionError, parameterError } from './parse-error.js';

/** An action as a Python call. Every parameter is named, defaults included, in the order of the specification. */
export const markdownFormat: ActionFormat = {
  title: 'MARKDOWN',

  renderSyntax: ({ name, parameters }) => {
    const signature = parameters.map(signaturePart).join(', ');
    return [`${name}(${signature})`, ...parameters.map(bullet)].join('\n');
  },

  renderAction: renderCall,
  renderExample: renderCall,

  readStrictly: (text, actions) => {
    const spec = actions.find(({ name }) => name === nameBeforeParenthesis(text));
    if (spec === undefined) return { kind: 'error', error: noActionError(actions) };
    return writtenCall(spec, parsePythonCall(text), text);
  },

  opening: (actions) =>
    `(?<![\\p{L}\\p{N}_])(?:${actions.map(({ name }) => name).join('|')})\\s{0,9}\\(`,

  readLeniently: (text, start, actions) => {
    const opening = text.slice(start, text.indexOf('(', start) + 1);
    const called = opening.slice(0, -1).trim().toLowerCase();
    const spec = actions.find(({ name }) => name.toLowerCase() === called);
    if (spec === undefined) {
      return { written: { kind: 'error', error: noActionError(actions) }, end: start + 1 };
    }
    const parsed = parseLeadingCall(text, start, 'lenient');
    return {
      written: writtenCall(spec, parsed, text),
      end: parsed.kind === 'parsed' ? parsed.end : start + opening.length,
    };
  },
};

function writtenCall(
  spec: ActionSpec,
  parsed: ReturnType<typeof parsePythonCall>,
  text: string,
): WrittenAction {
  return parsed.kind === 'parsed'
    ? { kind: 'written', spec, arguments: parsed.call }
    : { kind: 'error', error: parameterError(spec.name, describeInvalid(parsed, text)) };
}

function nameBeforeParenthesis(text: string): string {
  const end = text.indexOf('(');
  return strip(text.slice(text.lastIndexOf('\n', end) + 1, Math.max(end, 0)));
}

function renderCall(action: Action): string {
  const parts = fieldsOf(action).map(([{ name }, field]) => `${name}=${fieldRepr(field)}`);
  return `${nameOfAction(action)}(${parts.join(', ')})`;
}

const fieldRepr = (field: Field): string =>
  typeof field === 'string' ? repr({ kind: 'str', value: field }) : anyValueRepr(field);

const signaturePart = ({ name, type, default: fallback }: ParameterSpec): string =>
  `${name}: ${type}${fallback === undefined ? '' : ` = ${fieldRepr(fallback)}`}`;

function bullet({ name, type, default: fallback, description }: ParameterSpec): string {
  const need = fallback === undefined ? 'required' : `optional, default to ${fieldRepr(fallback)}`;
  return `- ${name}: ${type}, ${need}. ${description}`;
}
