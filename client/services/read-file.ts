import { readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import { jsonLinesIn } from '../../domain/formats/json-lines.js';
import { UserError } from '../../domain/user-error.js';
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
}

/** What node: throws when the operating system refuses. */
export const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'syscall' in error && 'code' in error;

/**
 * @param name - how it is called where it cannot be read
 * @param encoding - `latin1`: a character for each byte, whatever they are
 * @throws UserError where it cannot be read, or is not UTF-8
 */
export function readTextFile(
  path: string,
  name = path,
  encoding: 'utf-8' | 'latin1' = 'utf-8',
): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw new UserError(`${name} cannot be read: ${reasonOf(error)}`);
  }
}

/** `readTextFile` of JSONL, or of a JSON list of objects, as JSONL. */
export const readLinesFile = (path: string, name = path): string =>
  jsonLinesIn(readTextFile(path, name));

/** Why the operating system refuses a file, without its codes. */
const refusals: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
};

function reasonOf(error: unknown): string {
  if (isSystemError(error)) return refusals[error.code] ?? error.message;
  if (error instanceof TypeError) return 'it is not text in UTF-8';
  return error instanceof Error ? error.message : String(error);
}

/** Makes a file under another name and gives it its own when it is whole: it is there wholly or as it was before. */
export async function wholeFile(
  path: string,
  write: (draft: string) => Promise<void> | void,
): Promise<void> {
  const draft = join(dirname(path), `.${process.pid}.${basename(path)}`);
  try {
    await write(draft);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

const nouns: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a list of `name: value`',
  record: 'a list of `name: value`',
};

/** What a value must be, in words that continue its name: the `error` of a zod parse. */
export const plainIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${nouns[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.origin === 'array') return `must have at least ${counted(issue.minimum)}`;
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'array') return `must have at most ${counted(issue.maximum)}`;
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      return 'has an empty name';
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return undefined;
  }
};

const counted = (entries: number | bigint): string =>
  `${entries} ${Number(entries) === 1 ? 'entry' : 'entries'}`;

/** Where a file is wrong, a sentence for each place. */
interface FlawedFile {
  readonly file: string;
  readonly problems: readonly string[];
}

/** As many show what is wrong. */
const shown = 20;

/** Names the flaws of files that somebody gave, a line each. */
export function flawedFiles(files: readonly FlawedFile[]): UserError {
  const flaws = files.flatMap(({ file, problems }) =>
    problems.map((problem) => `${file}: ${problem}`),
  );
  const more = flaws.length - shown;
  return new UserError(
    [...flaws.slice(0, shown), ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
  );
}

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
