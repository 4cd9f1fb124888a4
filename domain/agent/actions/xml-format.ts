import { Parser } from 'htmlparser2';
import { escapeHtml as escapeXml } from '../../extraction/tables/table-html.js';
import { groupBy } from '../../statistics/means.js';
import { parsePythonLiteral } from '../../formats/python/literal.js';
import { str, strip, type PythonValue, type PythonEntry } from '../../formats/python/value.js';
import {
  anyValueText,
  nameOfAction,
  pythonOfAnyValue,
  type ActionFormat,
  type WrittenAction,
  type ActionSpec,
  type Field,
  type ParameterSpec,
  type Action,
} from './action.js';
import { actionOfObject, actionOfObjectLeniently, objectOfSpec } from './bind-action.js';
import { fieldsOf } from './action-specs.js';
import { noActionError, structureError } from './parse-error.js';

/** Limits the parsing time of a hostile reply, in UTF-16 units. Real replies are shorter. */
const maxLength = 200_000;

/** An action as an XML element with `action_type` and `parameters`. A list of numbers has one element per number. */
export const xmlFormat: ActionFormat = {
  title: 'XML',

  renderSyntax: (spec) => ['<action>', ...linesOf(objectOfSpec(spec), 4), '</action>'].join('\n'),

  renderAction: renderElement,
  renderExample: renderElement,

  readStrictly: (text, actions) => {
    const [start, end] = [text.indexOf('<action>'), text.lastIndexOf('</action>')];
    if (start === -1 || end < start) return { kind: 'error', error: noActionError(actions) };
    return readElement(recoverXml(text.slice(start, end)), (value) =>
      actionOfObject(value, actions),
    );
  },

  opening: () => '<action>',

  readLeniently: (text, start, actions) => {
    const close = text.indexOf('</action>', start);
    const end = close === -1 ? text.length : close;
    const element = text.slice(start, end);
    const written = readElement(escapeTexts(element, actions), (value) =>
      withNumbers(actionOfObjectLeniently(value, actions)),
    );
    return { written, end };
  },
};

function readElement(xml: string, read: (value: PythonValue) => WrittenAction): WrittenAction {
  const value = xml.length > maxLength ? null : parseXml(xml);
  return value === null
    ? { kind: 'error', error: structureError('XML object', 'It is too long or nested too deeply') }
    : read(value);
}

/** Escapes the text inside each parameter, so that the model may write `a < b` without escaping it. */
function escapeTexts(element: string, actions: readonly ActionSpec[]): string {
  const [, type = ''] = /<(?:action_type|name)>\s*(\w{1,40})/.exec(element) ?? [];
  const spec = actions.find(({ name }) => name.toLowerCase() === type.toLowerCase());
  const parameters = spec?.parameters ?? [];
  return parameters.reduce((xml, parameter) => escapeText(xml, parameter), element);
}

function escapeText(xml: string, { name, type }: ParameterSpec): string {
  const open = xml.indexOf(`<${name}>`);
  const close = xml.lastIndexOf(`</${name}>`);
  const from = open + name.length + 2;
  if (open === -1 || close < from) return xml;
  const inner = xml.slice(from, close);
  const literal = inner.includes('<![CDATA[') || inner.includes(`<${name}>`);
  const structured = type === 'Any' && /^\s*<(\w+)>[^]*<\/\w+>\s*$/.test(inner);
  if (literal || structured) return xml;
  return xml.slice(0, from) + inner.replaceAll('<', '&lt;') + xml.slice(close);
}

/** XML holds text only, so parameters of a numeric type are parsed as numbers or lists of numbers. */
function withNumbers(written: WrittenAction): WrittenAction {
  if (written.kind === 'error') return written;
  const { parameters } = written.spec;
  const numeric = new Set(
    parameters.flatMap(({ name, type }) => (type !== 'str' && type !== 'Any' ? [name] : [])),
  );
  const named = new Map(
    Array.from(written.arguments.named, ([name, value]) => [
      name,
      numeric.has(name) ? numberIn(value) : value,
    ]),
  );
  return { ...written, arguments: { positional: [], named } };
}

function numberIn(value: PythonValue): PythonValue {
  if (value.kind === 'list') return { kind: 'list', items: value.items.map(numberIn) };
  if (value.kind !== 'str') return value;
  const parsed = parsePythonLiteral(value.value);
  return parsed.kind === 'parsed' ? parsed.value : value;
}

function renderElement(action: Action): string {
  const parameters = fieldsOf(action).flatMap(([parameter, field]) =>
    textsOf(parameter, field).map((text) => tagged(parameter.name, escapeXml(text))),
  );
  const inner =
    tagged('action_type', nameOfAction(action)) + tagged('parameters', parameters.join(''));
  return tagged('action', inner);
}

function textsOf({ type }: Pick<ParameterSpec, 'type'>, field: Field): readonly string[] {
  if (typeof field === 'string') return [field];
  const value = type === 'List[float]' ? pythonOfAnyValue(field) : null;
  return value?.kind === 'list' ? value.items.map(str) : [anyValueText(field)];
}

function linesOf(value: PythonValue, indent: number): readonly string[] {
  if (value.kind !== 'dict') return [];
  const margin = ' '.repeat(indent);
  return value.entries.flatMap(([key, member]) => {
    const name = str(key);
    return member.kind === 'dict'
      ? [`${margin}<${name}>`, ...linesOf(member, indent + 4), `${margin}</${name}>`]
      : [`${margin}${tagged(name, escapeXml(str(member)))}`];
  });
}

const tagged = (name: string, content: string): string => `<${name}>${content}</${name}>`;

const cdataStart = '<![CDATA[';

/**
 * The XML that the reference system's parser keeps after error recovery: it drops the text from a bare `<` on, and each
 * bare `&`.
 */
function recoverXml(xml: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < xml.length;) {
    const start = xml.indexOf(cdataStart, at);
    const plain = withoutBareAmpersands(start === -1 ? xml.slice(at) : xml.slice(at, start));
    const bareBracket = /<(?![\p{L}_:/!?])/u.exec(plain);
    if (bareBracket) return [...pieces, plain.slice(0, bareBracket.index)].join('');
    pieces.push(plain);
    if (start === -1) break;
    const end = xml.indexOf(']]>', start);
    pieces.push(end === -1 ? xml.slice(start) : xml.slice(start, end + 3));
    at = end === -1 ? xml.length : end + 3;
  }
  return pieces.join('');
}

const withoutBareAmpersands = (text: string): string =>
  text.replace(/&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)(?:[\w.:-]{1,99};?)?/g, '');

interface Element {
  text: string;
  readonly children: [name: string, element: Element][];
}

const maxDepth = 100;

/**
 * The content of the first element of an XML text, converted as in the reference system: a stripped string, or a dict of
 * the child elements, in which children of the same name become a list. Null when there is no element or the nesting is too
 * deep. An element that is not closed ends with the text.
 */
function parseXml(xml: string): PythonValue | null {
  const top: Element = { text: '', children: [] };
  const open = [top];
  let deepest = 0;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        const element: Element = { text: '', children: [] };
        open.at(-1)?.children.push([name, element]);
        open.push(element);
        deepest = Math.max(deepest, open.length);
      },
      ontext: (text) => {
        const element = open.at(-1);
        if (element) element.text += text;
      },
      onclosetag: () => {
        open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const [first] = top.children;
  return first === undefined || deepest > maxDepth ? null : valueOf(first[1]);
}

function valueOf({ text, children }: Element): PythonValue {
  if (children.length === 0) return { kind: 'str', value: strip(text) };
  const byName = groupBy(children, ([name]) => name);
  const entries = Array.from(byName, ([name, named]): PythonEntry => {
    const values = named.map(([, child]) => valueOf(child));
    const [only] = values;
    const value: PythonValue = values.length === 1 && only ? only : { kind: 'list', items: values };
    return [{ kind: 'str', value: name }, value];
  });
  return { kind: 'dict', entries };
}
