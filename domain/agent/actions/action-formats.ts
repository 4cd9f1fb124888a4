import { jsonDumps, parseJson } from '../../formats/python/json.js';
import {
  parseLeadingLiteral,
  parseLeadingCall,
  parsePythonCall,
} from '../../formats/python/literal.js';
import { repr, strip } from '../../formats/python/value.js';
import { type ParsedYaml, parseYaml, yamlDump } from '../../formats/yaml.js';
import type { Tool } from '../../models/chat-message.js';
import type { PromptTexts } from '../../models/prompt-file.js';
import {
  anyValueRepr,
  nameOfAction,
  nameOfRef,
  type Action,
  type ActionFormat,
  type ActionFormatName,
  type TextFormatName,
  type ActionRef,
  type ActionSpec,
  type Subject,
  type WrittenAction,
  type Field,
  type ParameterSpec,
  type ParameterType,
} from './action.js';
import { actionSpec, fieldsOf, actionSpecs } from './action-specs.js';
import {
  actionOfObject,
  actionOfObjectLeniently,
  objectOfAction,
  objectOfSpec,
  valueOfField,
} from './bind-action.js';
import { describeInvalid, noActionError, structureError, parameterError } from './parse-error.js';
import { examplesOver, type ExampleStore } from './store-examples.js';
import { xmlFormat } from './xml-format.js';

/** An action as a JSON object with `action_type` and `parameters`. */
const jsonFormat: ActionFormat = {
  title: 'JSON',

  renderSyntax: (spec) => jsonDumps(objectOfSpec(spec), { indent: 4, ascii: false }),

  renderAction: (action, strictness) =>
    jsonDumps(objectOfAction(action), { indent: 4, ascii: strictness === 'strict' }),

  renderExample: (action) => jsonDumps(objectOfAction(action), { indent: null, ascii: false }),

  readStrictly: (text, actions) => {
    const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
    if (start === -1 || end < start) return { kind: 'error', error: noActionError(actions) };
    const object = text.slice(start, end + 1);
    const parsed = parseJson(object);
    if (parsed.kind === 'invalid') {
      const reason = describeInvalid(parsed, object);
      return { kind: 'error', error: structureError('JSON dict', reason) };
    }
    return actionOfObject(parsed.value, actions);
  },

  // Some models write their thought as the first key of the object.
  opening: () =>
    '\\{\\s{0,99}["\'\\u201c\\u2018]?(?:action_type|action|name|tool|parameters|arguments|thought|reasoning)\\b',

  // The lenient Python dialect accepts JSON and the near-JSON that models write.
  readLeniently: (text, start, actions) => {
    const parsed = parseLeadingLiteral(text, start, 'lenient');
    return parsed.kind === 'parsed'
      ? { written: actionOfObjectLeniently(parsed.value, actions), end: parsed.end }
      : {
          written: {
            kind: 'error',
            error: structureError('JSON dict', describeInvalid(parsed, text)),
          },
          end: start + 1,
        };
  },
};

/** An action as a Python call. Every parameter is named, defaults included, in the order of the specification. */
const markdownFormat: ActionFormat = {
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

/** An action as a YAML mapping with `action_type` and `parameters`. */
const yamlFormat: ActionFormat = {
  title: 'YAML',

  renderSyntax: (spec) => yamlDump(objectOfSpec(spec)),
  renderAction: (action) => yamlDump(objectOfAction(action)),
  renderExample: (action) => `\n${yamlDump(objectOfAction(action))}`,

  readStrictly: (text, actions) => {
    const start = text.indexOf('action_type:');
    const yaml = start === -1 ? `action_type: ${text}` : text.slice(start);
    const parsed = parseYaml(yaml, 'pyyaml');
    return parsed.kind === 'invalid'
      ? { kind: 'error', error: structureError('YAML object', parsed.reason) }
      : actionOfObject(parsed.value, actions);
  },

  opening: (actions) =>
    `(?<![\\p{L}\\p{N}_])(?:action_type ?:|(?:${actions.map(({ name }) => name).join('|')})[ \\t]{0,9}\\n\\s{0,99}parameters ?:)`,

  readLeniently: (text, start, actions) => {
    const parameters = parameterNames(actions);
    const { block, end } = blockAt(text, start, parameters);
    // As in the reference system, the key `action_type` may be missing before the action's name.
    const parsed = withTextsQuoted(
      /^action_type ?:/i.test(block) ? block : `action_type: ${block}`,
      parameters,
    );
    return {
      written:
        parsed.kind === 'invalid'
          ? { kind: 'error', error: structureError('YAML object', parsed.reason) }
          : actionOfObjectLeniently(parsed.value, actions),
      end,
    };
  },
};

const namesOfParameters = (specs: readonly ActionSpec[]): readonly string[] =>
  specs.flatMap(({ parameters }) => parameters.map(({ name }) => name));

const ownParameters = new Set(namesOfParameters(Object.values(actionSpecs)));

/** Of the actions that turnwise has, and of those of plugins. */
const parameterNames = (actions: readonly ActionSpec[]): ReadonlySet<string> =>
  actions.some(({ isOfPlugin }) => isOfPlugin)
    ? new Set([...ownParameters, ...namesOfParameters(actions)])
    : ownParameters;

const isRootKey = (key: string, parameters: ReadonlySet<string>): boolean =>
  ['action_type', 'parameters', 'arguments', 'args'].includes(key) || parameters.has(key);

/** The lines of the mapping at `start`: deeper lines, and lines at the same depth whose key belongs to an action. */
function blockAt(
  text: string,
  start: number,
  parameters: ReadonlySet<string>,
): { readonly block: string; readonly end: number } {
  const margin = marginAt(text, start, parameters);
  const lines: string[] = [];
  let end = start;
  for (let at = start; at < text.length; at = end) {
    const newline = text.indexOf('\n', at);
    const stop = newline === -1 ? text.length : newline + 1;
    const line = at === start ? ' '.repeat(margin) + text.slice(at, stop) : text.slice(at, stop);
    if (at !== start && !isPartOfMapping(line, margin, parameters)) break;
    lines.push(line.slice(Math.min(margin, line.length - line.trimStart().length)));
    end = stop;
  }
  return { block: withoutClosingFence(lines.join('')), end };
}

/** Some models write the closing fence at the end of the last line. */
const withoutClosingFence = (block: string): string =>
  block.replace(/(?<=[^\s`][ \t]{0,9})```\s{0,99}$/, '');

/** The indentation of the mapping's keys. When a label precedes the first key on its line, the second key decides. */
function marginAt(text: string, start: number, parameters: ReadonlySet<string>): number {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const [, indent = '', key = ''] =
    /\n([ \t]*)(\w+) ?:/.exec(text.slice(start, start + 1000)) ?? [];
  const isAlone = text.slice(lineStart, start).trim() === '';
  return isAlone || !isRootKey(key, parameters) ? start - lineStart : indent.length;
}

function isPartOfMapping(line: string, margin: number, parameters: ReadonlySet<string>): boolean {
  if (line.trim() === '') return true;
  const depth = line.length - line.trimStart().length;
  if (depth > margin) return true;
  const [, key = ''] = /^\s*(\w+) ?:/.exec(line) ?? [];
  return isRootKey(key, parameters);
}

/** Reads a mapping. If that fails, reads it again with quoted parameter texts: `sql: SELECT a: b` is not valid YAML. */
function withTextsQuoted(block: string, parameters: ReadonlySet<string>): ParsedYaml {
  const parsed = parseYaml(block, 'json');
  if (parsed.kind === 'parsed') return parsed;
  const quoted = block.replace(
    /^([ \t]*)(\w+) ?:[ \t]+(?!["'|>])(\S[^\n]*)$/gm,
    (line, indent: string, key: string, value: string) =>
      parameters.has(key) ? `${indent}${key}: ${JSON.stringify(value.trimEnd())}` : line,
  );
  const again = parseYaml(quoted, 'json');
  return again.kind === 'parsed' ? again : parsed;
}

export const actionFormats: Readonly<Record<TextFormatName, ActionFormat>> = {
  markdown: markdownFormat,
  json: jsonFormat,
  xml: xmlFormat,
  yaml: yamlFormat,
};

/** The part of a prompt that describes the `actions`, with examples over a store. With `tools` the request's `tools` field describes them. */
export function renderActionSpace(
  actions: readonly ActionRef[],
  format: ActionFormatName,
  store: ExampleStore,
  about?: Subject,
  prompts?: PromptTexts,
): string {
  const list = actions.map((action) => `'${nameOfRef(action)}'`).join(', ');
  const heading = '## Action and Observation Space\n';
  if (format === 'tools') {
    return `${heading}These actions are available: [${list}]. Each is a tool you can call.`;
  }
  const { title } = actionFormats[format];
  return (
    heading +
    `These actions are available: [${list}]. Each is specified below in ${title} format:\n` +
    renderActionSpecs(actions, format, store, about, prompts)
  );
}

/** The specifications without the heading and the list of names. */
export const renderActionSpecs = (
  actions: readonly ActionRef[],
  format: TextFormatName,
  store: ExampleStore,
  about?: Subject,
  prompts?: PromptTexts,
): string =>
  actions
    .map((action) => renderSpec(actionSpec(action, about, prompts), format, store))
    .join('\n----\n');

function renderSpec(spec: ActionSpec, format: TextFormatName, store: ExampleStore): string {
  const { title, renderSyntax, renderExample } = actionFormats[format];
  const cases = examplesOver(spec, store).map(
    ({ explanation, action }, index) =>
      `\n#### Case ${index + 1}\n${explanation}\n\n[Action]: ${renderExample(action)}\n`,
  );
  return [
    `\n### Action Type\n${spec.name}\n`,
    `### Description\n${spec.description}\n`,
    `### Observation\n${spec.observation}\n`,
    `### Syntax and Parameters (${title} Format)\n${renderSyntax(spec)}\n`,
    ...(cases.length === 0 ? [] : [`### Use Cases\n${cases.join('\n')}\n`]),
  ].join('\n');
}

/** Actions as tools of a request, with their parameters as JSON schemas. */
export const toolsOf = (
  actions: readonly ActionRef[],
  about?: Subject,
  prompts?: PromptTexts,
): readonly Tool[] =>
  actions.map((action) => {
    const spec = actionSpec(action, about, prompts);
    const { name, description, observation, parameters, isOfPlugin } = spec;
    return {
      name,
      description: `${description} What comes back: ${observation}`,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(
          parameters.map((each) => [each.name, propertyOf(each, isOfPlugin)]),
        ),
        required: parameters.flatMap((each) => (each.default === undefined ? [each.name] : [])),
        additionalProperties: false,
      },
    };
  });

type JsonSchema = Tool['parameters'];

function propertyOf(
  { type, description, default: fallback }: ParameterSpec,
  isOfPlugin = false,
): JsonSchema {
  return {
    ...(isOfPlugin && type === 'int' ? { type: 'integer' } : typeSchemas[type]),
    description,
    ...(fallback !== undefined && { default: jsonOf(fallback) }),
  };
}

const typeSchemas: Readonly<Record<ParameterType, JsonSchema>> = {
  str: { type: 'string' },
  int: { type: 'integer', minimum: 1 },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  'List[float]': { type: 'array', items: { type: 'number' } },
  Any: {
    anyOf: [
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'array', items: {} },
      { type: 'object' },
    ],
  },
};

const jsonOf = (field: Parameters<typeof valueOfField>[0]): JsonSchema[string] =>
  // The cast is safe: every default in our specifications is a JSON value.
  JSON.parse(jsonDumps(valueOfField(field), { indent: null, ascii: false })) as JsonSchema[string];
