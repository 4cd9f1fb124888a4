import {
  actionOfObject,
  actionOfObjectLeniently,
  objectOfAction,
  objectOfSpec,
} from './action-object.js';
import type { ActionFormat } from './action-format.js';
import type { ActionSpec } from './action-spec.js';
import { actionSpecs } from './action-specs.js';
import { structureError } from './parse-error.js';
import { type ParsedYaml, parseYaml, yamlDump } from '../../formats/yaml.js';

/** An action as a YAML mapping with `action_type` and `parameters`. */
export const yamlFormat: ActionFormat = {
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
