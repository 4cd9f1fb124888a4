import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Pair,
  parseDocument,
  Scalar,
  stringify,
  YAMLMap,
  type Document,
  type YAMLParseError,
} from 'yaml';
import { repr, str, pythonDict, type PythonEntry, type PythonValue } from './python/value.js';

export type ParsedYaml =
  | { readonly kind: 'parsed'; readonly value: PythonValue }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * How plain scalars are read. `pyyaml`: as PyYAML reads YAML 1.1, where `Yes` is true and `010` is 8; dates stay strings.
 * `json`: only the values of JSON, so that `Yes` and `010` are strings.
 */
type YamlWords = 'pyyaml' | 'json';

/** Limits in UTF-16 units and nodes. They bound the time for a hostile text, which may repeat parts by aliases. */
const maxLength = 100_000;
const maxNodes = 10_000;

/** Reads one YAML document. The texts of reasons must not change, because they are part of prompts. */
export function parseYaml(text: string, words: YamlWords): ParsedYaml {
  if (text.length > maxLength) return { kind: 'invalid', reason: 'It is too long' };
  try {
    const document = parseDocument(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
    });
    const [error] = document.errors;
    if (error) return { kind: 'invalid', reason: reasonOf(error) };
    return { kind: 'parsed', value: new NodeReader(document, words, text).read(document.contents) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'invalid', reason: tooDeep };
    if (error instanceof UnreadableYaml) return { kind: 'invalid', reason: error.message };
    throw error;
  }
}

/** For a stack overflow in the library or in `NodeReader`. */
const tooDeep = 'It is nested too deeply';

const reasonOf = ({ code, message }: Pick<YAMLParseError, 'code' | 'message'>): string =>
  code === 'RESOURCE_EXHAUSTION' ? tooDeep : message.replace(/\.$/, '');

class UnreadableYaml extends Error {}

class NodeReader {
  #nodes = 0;

  constructor(
    private readonly document: Document,
    private readonly words: YamlWords,
    private readonly source: string,
  ) {}

  read(node: unknown): PythonValue {
    if (++this.#nodes > maxNodes) throw new UnreadableYaml('It has too many parts');
    if (isAlias(node)) return this.read(node.resolve(this.document));
    if (isScalar(node)) return this.readScalar(node);
    if (isSeq(node)) return { kind: 'list', items: node.items.map((item) => this.read(item)) };
    if (!isMap(node)) return { kind: 'none' };
    const entries = node.items.map(({ key, value }): PythonEntry => [
      this.read(key),
      this.read(value),
    ]);
    const dict = pythonDict(entries);
    if (dict === null) throw new UnreadableYaml('A list or dict cannot be a key');
    return dict;
  }

  private readScalar({ type, value, tag, range }: Scalar): PythonValue {
    const [start, end] = range ?? [0, 0];
    // The library checks the last character only, which may be an escaped quote.
    if (isUnclosed(this.source.slice(start, end))) {
      throw new UnreadableYaml(`Missing closing ${this.source.charAt(start)}quote`);
    }
    if (tag !== undefined && tag !== '!' && tag !== 'tag:yaml.org,2002:str') {
      throw new UnreadableYaml('Tags are not allowed');
    }
    const text = typeof value === 'string' ? value : '';
    const plain = tag === undefined && (type === Scalar.PLAIN || type === undefined);
    return (plain ? readers[this.words](text) : null) ?? { kind: 'str', value: text };
  }
}

/** Whether the last quote of a quoted scalar is escaped, so that the scalar is not closed. */
const isUnclosed = (scalar: string): boolean =>
  scalar.startsWith('"')
    ? /(?<!\\)(?:\\\\)*\\"$/.test(scalar)
    : scalar.startsWith("'") && /(?<!')(?:'')+$/.test(scalar.slice(1));

const readers: Readonly<Record<YamlWords, (word: string) => PythonValue | null>> = {
  pyyaml: (word) => {
    if (/^(?:~|null|Null|NULL|)$/.test(word)) return { kind: 'none' };
    if (/^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/.test(word))
      return { kind: 'bool', value: true };
    if (/^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/.test(word)) {
      return { kind: 'bool', value: false };
    }
    return yaml11Int(word) ?? yaml11Float(word);
  },
  json: (word) => {
    if (/^(?:~|null|None|)$/.test(word)) return { kind: 'none' };
    if (/^(?:true|True|false|False)$/.test(word)) {
      return { kind: 'bool', value: word.toLowerCase() === 'true' };
    }
    if (/^-?(?:0|[1-9]\d{0,999})$/.test(word)) return { kind: 'int', value: BigInt(word) };
    return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)
      ? { kind: 'float', value: Number(word) }
      : null;
  },
};

function yaml11Int(word: string): PythonValue | null {
  const [, sign, digits] =
    /^([-+]?)(0b[01_]+|0[0-7_]+|0|[1-9][\d_]{0,999}|0x[\da-fA-F_]+)$/.exec(word) ?? [];
  if (digits === undefined) return sexagesimal(word);
  const bare = digits.replaceAll('_', '').replace(/^0(?=\d)/, '0o');
  const size = BigInt(bare.replace(/^0[box]$/, '0'));
  return { kind: 'int', value: sign === '-' ? -size : size };
}

/** YAML 1.1 reads clock times as numbers in base 60: `1:30` is 90. */
function sexagesimal(word: string): PythonValue | null {
  if (!/^[-+]?[1-9][\d_]{0,99}(?::[0-5]?\d){1,20}$/.test(word)) return null;
  const parts = word.replace(/^[-+]/, '').replaceAll('_', '').split(':');
  const size = parts.reduce((total, part) => total * 60n + BigInt(part), 0n);
  return { kind: 'int', value: word.startsWith('-') ? -size : size };
}

function yaml11Float(word: string): PythonValue | null {
  const [, sign, name] = /^([-+]?)\.(inf|Inf|INF|nan|NaN|NAN)$/.exec(word) ?? [];
  if (name !== undefined) {
    const size = name.toLowerCase() === 'nan' ? NaN : Infinity;
    return { kind: 'float', value: sign === '-' ? -size : size };
  }
  return /^[-+]?(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]\d+)?$/.test(word)
    ? { kind: 'float', value: Number(word.replaceAll('_', '')) }
    : null;
}

/** Writes a value as YAML in block style, which `parseYaml` reads back in both modes. Other Python types are written as their `repr`. */
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

/** A JavaScript `Map` would become an ordered map in YAML 1.1. */
function mapNode(entries: readonly PythonEntry[]): YAMLMap {
  const map = new YAMLMap();
  for (const [key, item] of entries) map.items.push(new Pair(str(key), nodeOf(item)));
  return map;
}

/** A text with trailing white space is quoted, so that stripping the YAML does not remove the white space. */
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
