import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preview } from '../domain/formats/text.js';
import type { ThrownError } from './messages.js';

const longest = 300;

/**
 * One sentence about an error of a plugin, without a full stop, with the user's file and line: `mine.ts:12: no such term`.
 * @param code - the file of the plugin's code, to whose folder the source map's paths are relative
 * @param path - of the plugin, as the user gave it
 */
export function errorText({ message, stack }: ThrownError, code: string, path: string): string {
  const place = placeIn(stack, code, path);
  const line = message.split('\n').find((each) => each.trim() !== '') ?? 'an error without a text';
  const text = preview(line.trim(), longest).replace(/\.$/, '');
  return `${place ?? path}: ${text}`;
}

/** The first line of a stack that is in the user's sources. */
function placeIn(stack: string, code: string, path: string): string | null {
  for (const [, at = '', line = ''] of stack.matchAll(
    /(?:\(|\bat (?:async )?)((?:file:|\/|[A-Z]:\\)[^()\n]*?):(\d+):\d+\)?$/gm,
  )) {
    const file = at.startsWith('file:') ? fileURLToPath(at) : at;
    const source = relative(dirname(code), file);
    const isOurs = file === code || file.endsWith('plugin-thread.js') || /\.turnwise$/.test(file);
    if (!isOurs && !source.includes('node_modules'))
      return `${join(dirname(path), source)}:${line}`;
  }
  return null;
}
