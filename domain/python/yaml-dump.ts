import { Pair, Scalar, stringify, YAMLMap } from 'yaml';
import { repr, str } from './text.js';
import type { PythonEntry, PythonValue } from './value.js';

/** A value as YAML in block style, which both readings of `parseYaml` read back. What YAML cannot hold becomes the text of its `repr`. */
export const yamlDump = (value: PythonValue): string =>
  stringify(nodeOf(value), { version: '1.1', lineWidth: 0, indent: 2 }).trimEnd();

function nodeOf(value: PythonValue): unknown {
  switch (value.kind) {
    case 'none':
      return new Scalar(null);
    case 'bool':
    case 'int':
      return value.value;
    case 'str':
      return textNode(value.value);
    case 'float':
      return floatNode(value.value);
    case 'list':
    case 'tuple':
      return value.items.map(nodeOf);
    case 'dict':
      return mapNode(value.entries);
    case 'ellipsis':
    case 'complex':
    case 'bytes':
    case 'set':
      return repr(value);
  }
}

/** Built by hand: YAML 1.1 would make an ordered map of a JavaScript one. */
function mapNode(entries: readonly PythonEntry[]): YAMLMap {
  const map = new YAMLMap();
  for (const [key, item] of entries) map.items.push(new Pair(str(key), nodeOf(item)));
  return map;
}

/** White space at the end would be lost where the text around it is stripped: not all that Unicode has is white to YAML. */
function textNode(text: string): unknown {
  const node = new Scalar(text);
  if (/\s$/.test(text)) node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

function floatNode(value: number): unknown {
  const node = new Scalar(value);
  if (Number.isInteger(value)) node.minFractionDigits = 1;
  return node;
}
