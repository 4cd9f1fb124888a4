import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { UserError } from '../../domain/user-error.js';
import { readTextFile } from './read-file.js';

const require = createRequire(import.meta.url);

// Loaded only where there is a file to read: it takes longer than most commands need to load all else.
const yaml = (): typeof Yaml => require('yaml') as typeof Yaml;

/** What a YAML file says, and where. */
export interface YamlFile {
  /** Null where it says nothing. */
  readonly value: unknown;
  /** The line, from 1, of what a path leads to; where that is missing, of what it is missing in. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** Throws UserError where the file is not YAML. */
export function readYamlFile(path: string): YamlFile {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(readTextFile(path), { lineCounter: lines });
  const [error] = document.errors;
  if (error) throw new UserError(`${path} is not YAML: ${firstLine(error.message)}`);
  return {
    value: document.toJS(),
    lineOf: (keys) => {
      let node: unknown = document.contents;
      let offset = 0;
      for (const key of keys) {
        const found = childOf(node, String(key));
        if (found === null) break;
        ({ node, offset } = found);
      }
      return lines.linePos(offset).line;
    },
  };
}

function childOf(
  parent: unknown,
  name: string,
): { readonly node: unknown; readonly offset: number } | null {
  const { isMap, isNode, isScalar, isSeq } = yaml();
  if (isSeq(parent)) {
    const item = parent.items[Number(name)];
    return isNode(item) ? { node: item, offset: startOf(item) } : null;
  }
  if (!isMap(parent)) return null;
  for (const { key, value } of parent.items) {
    if (isScalar(key) && String(key.value) === name) return { node: value, offset: startOf(key) };
  }
  return null;
}

const startOf = ({ range }: Pick<Yaml.Node, 'range'>): number => range?.[0] ?? 0;

const firstLine = (text: string): string => text.split('\n', 1)[0]?.replace(/:$/, '') ?? '';
