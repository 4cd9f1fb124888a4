import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flawedFiles, readTextFile } from '../../../client/services/read-file.js';

describe('files that somebody gave', () => {
  it('have their flaws named by file, the first of very many', () => {
    const problems = Array.from({ length: 30 }, (_, index) => `line ${index + 1}: no JSON`);
    const { message } = flawedFiles([
      { file: 'golds', problems: ['it holds no questions'] },
      { file: 'answers', problems },
    ]);
    const lines = message.split('\n');
    expect(lines.slice(0, 2)).toEqual(['golds: it holds no questions', 'answers: line 1: no JSON']);
    expect(lines.slice(-2)).toEqual(['answers: line 19: no JSON', 'and 11 more']);
  });

  it('are not taken where they are no UTF-8', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'turnwise-text-')), 'latin');
    writeFileSync(path, Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    expect(() => readTextFile(path)).toThrow(/latin cannot be read: .*utf-8/i);
  });
});
