import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { registerReport } from '../../../client/commands/report.js';
import { runIdSchema } from '../../../domain/ids.js';
import type { PageQuestion } from '../../../client/views/page/page-question.js';
import { observationFile, replyFile } from '../../../domain/runs/run-manifest.js';
import { captureOutput } from '../../support/commands/capture-output.js';
import {
  exampleEnd,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../../support/runs/example-records.js';
import { runInFolder, type RunInFolder } from '../../support/runs/run-in-folder.js';

const output = captureOutput();
afterEach(() => {
  vi.unstubAllEnvs();
});

async function report(...args: readonly string[]): Promise<string> {
  const program = new CommandLine('turnwise');
  registerReport(program);
  program.commands[0]?.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(['report', ...args], { from: 'user' });
  return output.stdout;
}

const hostile = '</script><img src=x onerror=alert(1)>';

/** A run of two questions, of which the first has ended, with all its turns. */
function halfDone(): RunInFolder {
  const run = runInFolder([
    { uuid: 'a', question: `How many? ${hostile}`, tags: ['count'] },
    { uuid: 'b', question: 'Which?' },
  ]);
  const key = sampleKey('a');
  const put = (file: string, value: unknown): void => {
    const path = join(run.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(value));
  };
  put(
    replyFile(key, 1),
    exampleReply(1, { kind: 'RetrieveFromDatabase', sql: `select '${hostile}'` }),
  );
  put(observationFile(key, 1), {
    ...exampleObservation(1, '{"n":1}\n\nIn total, 1 row is displayed in JSON format.'),
    image: { mimeType: 'image/png', base64: 'iVBORw0KGgo=' },
  });
  put(
    replyFile(key, 2),
    exampleReply(2, { kind: 'GenerateAnswer', answer: { kind: 'literal', source: '1' } }),
  );
  const { result, score } = exampleEnd(key);
  appendFileSync(join(run.folder, 'results.jsonl'), `${JSON.stringify(result)}\n`);
  appendFileSync(join(run.folder, 'scores.jsonl'), `${JSON.stringify(score)}\n`);
  vi.stubEnv('TURNWISE_HOME', run.home);
  return run;
}

/** What a page's data elements hold. */
const dataOf = (page: string, id: string): string =>
  new RegExp(`<script type="text/plain" id="${id}">([^<]*)</script>`).exec(page)?.[1] ?? '';

const unpacked = (packed: string): unknown =>
  JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString());

describe('report', () => {
  it("writes a page into the run's folder, also of a run without scores that goes on", async () => {
    const { folder } = halfDone();
    expect(await report('a-run')).toContain(`written to ${join(folder, 'report.html')}`);
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(page).toContain('This run has not ended');
    expect(page).toContain('no score');
  });

  it('keeps every turn in the page, with its picture', async () => {
    const { folder } = halfDone();
    await report('a-run');
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(unpacked(dataOf(page, 'pack-of'))).toEqual({
      '/runs/a-run/questions/a/1': 0,
      '/runs/a-run/questions/b/1': 0,
    });
    const [first, second] = unpacked(dataOf(page, 'pack-0')) as [PageQuestion, PageQuestion];
    expect(first.turns.map(({ action }) => action)).toEqual([
      {
        name: 'RetrieveFromDatabase',
        fields: [{ name: 'sql', value: `select '${hostile}'` }],
      },
      { name: 'GenerateAnswer', fields: [{ name: 'answer', value: '1' }] },
    ]);
    expect(first.turns.map(({ observation }) => observation?.picture)).toEqual([0, undefined]);
    expect(dataOf(page, 'picture-0')).toBe('data:image/png;base64,iVBORw0KGgo=');
    expect(second).toMatchObject({ question: 'Which?', end: null, turns: [] });
  });

  it('has no markup but its own, and no address', async () => {
    const { folder } = halfDone();
    await report('a-run');
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(page).not.toContain('<img');
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-/);
    for (const [, script = ''] of page.matchAll(/<script>(.*?)<\/script>/gs)) {
      const hash = createHash('sha256').update(script).digest('base64');
      expect(policy).toContain(`'sha256-${hash}'`);
    }
    expect(page.replaceAll(/<script>.*?<\/script>/gs, '')).not.toMatch(/(src|href)="(?!#)/);
  });

  it('writes several runs where it is told to', async () => {
    const { home } = halfDone();
    runInFolder(
      [{ uuid: 'a', question: 'How many?' }],
      (manifest) => ({ ...manifest, run: runIdSchema.parse('other') }),
      home,
    );
    const file = join(home, 'both.html');
    await expect(report('a-run', 'other')).rejects.toThrow('needs --out');
    await expect(report('a-run', 'a-run')).rejects.toThrow('named twice');
    output.stdout = '';
    expect(await report('a-run', 'other', '--out', file)).toMatch(
      /^report on a-run, other written/,
    );
    expect(readFileSync(file, 'utf8')).toContain('turnwise report: a-run, other');
    await expect(report('a-run', '--common')).rejects.toThrow('are for runs over databases');
  });
});
