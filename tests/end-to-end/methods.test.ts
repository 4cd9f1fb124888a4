import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseModes } from '../../domain/agent/database-qa/answer-trace.js';
import { actionFormatNames } from '../../domain/agent/actions/action.js';
import { methodNames, methodNeeds, methods } from '../../domain/agent/methods.js';
import { checkout, systemEnvironment } from '../support/command-line.js';
import { readDocument, tableRows } from '../support/markdown.js';

describe('the example questions, asked by every method and in every action format', () => {
  let tables: string;
  let told: string;
  let status: number | null;

  beforeAll(async () => {
    const bench = spawn(process.execPath, [join(checkout, 'dist/bench/main.js'), 'methods'], {
      cwd: tmpdir(),
      env: systemEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    [tables, told, [status]] = await Promise.all([
      text(bench.stdout),
      text(bench.stderr),
      once(bench, 'close') as Promise<[number | null]>,
    ]);
  });

  it('are all answered, with the tokens that were forecast', () => {
    expect(status, told).toBe(0);
    const asked = methodNames.filter((name) => {
      const { graph, reads } = methodNeeds(methods[name]);
      return !graph && (reads === 'papers' || reads === 'nothing');
    });
    expect(tableRows(tables).map(([name]) => name)).toEqual([
      ...asked,
      ...actionFormatNames,
      ...databaseModes,
    ]);
  });

  it('take the turns and tokens, are forecast, and score, as the document says', () => {
    const documented = readDocument('docs/how-to/methods.md');
    for (const table of tables.trim().split('\n\n')) expect(documented).toContain(table);
  });
});
