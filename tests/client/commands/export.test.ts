import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerExport } from '../../../client/commands/export.js';
import { exportFormats } from '../../../client/views/exports/export-run.js';
import { runIdSchema } from '../../../domain/ids.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { captureOutput } from '../../support/commands/capture-output.js';
import { writeDatabaseRun } from '../../support/runs/database-runs.js';
import { sampleKey } from '../../support/runs/example-records.js';
import { querySql } from '../../support/stores/query-sql.js';
import { hostileText, recordedItems, recordedRun } from '../../support/runs/recorded-run.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

let out = '';
const output = captureOutput();

beforeEach(() => {
  out = join(mkdtempSync(join(tmpdir(), 'turnwise-export-')), 'deep', 'out');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function exportRun(home: string, ...args: readonly string[]): Promise<void> {
  vi.stubEnv('TURNWISE_HOME', home);
  vi.spyOn(process, 'cwd').mockReturnValue(home);
  const program = new CommandLine('turnwise');
  registerExport(program);
  program.commands[0]?.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(['export', 'a-run', '--out', out, ...args], { from: 'user' });
}

const rowsOf = (file: string, columns = '*') =>
  querySql(`SELECT ${columns} FROM '${file}' ORDER BY epoch, uuid`, out);

it('copies the files of the run, and nothing else where no format is named', async () => {
  const { home, folder } = await recordedRun();
  await exportRun(home);
  expect(readdirSync(out).sort()).toEqual([
    'dataset.jsonl',
    'manifest.json',
    'report.html',
    'results.jsonl',
    'scores.jsonl',
    'trajectories',
  ]);
  expect(readFileSync(join(out, 'results.jsonl'), 'utf8')).toBe(
    readFileSync(join(folder, 'results.jsonl'), 'utf8'),
  );
  expect(output.stdout).toBe(
    `exported manifest.json, dataset.jsonl, results.jsonl, scores.jsonl, trajectories, report.html of run a-run to ${out}\n`,
  );
});

it('lets results be grouped by what the dataset says of their questions', async () => {
  const { home } = await recordedRun();
  await exportRun(home);
  const rows = await querySql(
    "SELECT d.uuid FROM 'results.jsonl' AS r JOIN 'dataset.jsonl' AS d ON r.uuid::VARCHAR = d.uuid::VARCHAR WHERE d.question IS NOT NULL",
    out,
  );
  const results = readFileSync(join(out, 'results.jsonl'), 'utf8').trimEnd().split('\n');
  expect(rows).toHaveLength(results.length);
});

describe.each(exportFormats)('as %s', (format) => {
  it('is the same whenever it is made, and leaves no draft', async () => {
    const { home } = await recordedRun();
    await exportRun(home, '--format', format);
    const [made = ''] = readdirSync(out).filter((name) =>
      output.stdout.includes(`, ${name} of run`),
    );
    const first = readFileSync(join(out, made));
    await exportRun(home, '--format', format);
    expect(readFileSync(join(out, made)).equals(first)).toBe(true);
    expect(readdirSync(out).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('holds a run of which nothing has ended', async () => {
    const { home } = runInFolder(recordedItems);
    await exportRun(home, '--format', format);
    expect(output.stdout).toContain(`of run a-run to ${out}`);
  });

  it('refuses damaged files by name and line, and writes nothing', async () => {
    const { home, folder } = await recordedRun();
    writeFileSync(join(folder, 'results.jsonl'), '{"uuid": 1}\n');
    await expect(exportRun(home, '--format', format)).rejects.toThrow(/results.jsonl, line 1, is/);
    expect(() => readdirSync(out)).toThrow();
  });
});

describe('the tables', () => {
  it('have a row for each question in each epoch, also for what has no score or has not ended', async () => {
    const { home } = await recordedRun();
    await exportRun(home, '--format', 'csv', '--format', 'parquet');
    const columns = 'uuid, epoch, outcome, score, verdict, unscored_reason, turns';
    const rows = await rowsOf('results.parquet', columns);
    const none = [null, null, null, null, null];
    expect(rows).toEqual([
      ['failed', 1, 'infra-error', null, 'unscored', 'outside-failure', 1],
      ['hostile', 1, 'answered', 0, 'scored', null, 2],
      ['limited', 1, 'turn-limit', 0, 'scored', null, 1],
      ['open', 1, ...none],
      ['right', 1, 'answered', 1, 'scored', null, 3],
      ['unjudged', 1, 'answered', null, 'unscored', 'needs-judge', 1],
      ...['failed', 'hostile', 'limited', 'open'].map((uuid) => [uuid, 2, ...none]),
      ['right', 2, 'answered', 0, 'scored', null, 1],
      ['unjudged', 2, ...none],
    ]);
    const counts = 'uuid, epoch::INT, outcome, score::DOUBLE, verdict, unscored_reason, turns::INT';
    expect(await rowsOf('results.csv', counts)).toEqual(rows);
  });

  it('hold any text whole: Parquet as it is, CSV so that no spreadsheet runs it', async () => {
    const { home } = await recordedRun();
    await exportRun(home, '--format', 'csv', '--format', 'parquet');
    const [[answer, question, tag] = []] = await querySql(
      "SELECT answer, question, tags[1] FROM 'results.parquet' WHERE uuid = 'hostile' AND epoch = 1",
      out,
    );
    expect([answer, question, tag]).toEqual([hostileText, hostileText, hostileText]);
    const csv = await querySql(
      "SELECT answer, question, tags->>0, score, cost_usd FROM read_csv('results.csv', auto_detect = true, all_varchar = true) WHERE epoch = '1' AND uuid IN ('hostile', 'unjudged') ORDER BY uuid",
      out,
    );
    expect(csv).toEqual([
      [`'${hostileText}`, `'${hostileText}`, hostileText, '0.0', '0.002'],
      ['-5', 'Why?', null, null, '0.0'],
    ]);
  });

  it('have types in Parquet', async () => {
    const { home } = await recordedRun();
    await exportRun(home, '--format', 'parquet');
    const described = await querySql("DESCRIBE FROM 'results.parquet'", out);
    const types = new Map(described.map(([name, type]) => [name, type]));
    expect(
      ['epoch', 'tags', 'score', 'prompt_tokens', 'started_at'].map((name) => types.get(name)),
    ).toEqual(['INTEGER', 'VARCHAR[]', 'DOUBLE', 'BIGINT', 'TIMESTAMP WITH TIME ZONE']);
  });
});

it('writes a trace a line, with texts only where they are wanted', async () => {
  const { home } = await recordedRun();
  const traces = () => readFileSync(join(out, 'traces.jsonl'), 'utf8');
  await exportRun(home, '--format', 'otel');
  expect(traces().trim().split('\n')).toHaveLength(6);
  expect(traces()).not.toContain('SELECT');
  await exportRun(home, '--format', 'otel', '--texts');
  expect(traces()).toContain('SELECT');
});

it('writes U+FFFD for half a character, in every file that UTF-8 has to hold', async () => {
  const { home, folder } = await recordedRun();
  const file = join(folder, 'results.jsonl');
  const results = readFileSync(file, 'utf8').replace(
    '"answer":"-5"',
    '"answer":"a\\ud800 \\u0000b"',
  );
  writeFileSync(file, results);
  await exportRun(home, ...exportFormats.flatMap((format) => ['--format', format]), '--texts');
  for (const name of ['results.csv', 'results.parquet', 'answers.jsonl', 'results.jsonl']) {
    const [[answer] = []] = await querySql(
      `SELECT answer FROM '${name}' WHERE uuid = 'unjudged' AND answer IS NOT NULL`,
      out,
    );
    expect(answer, name).toBe('a\uFFFD \u0000b');
  }
  expect(readFileSync(join(out, 'traces.jsonl'), 'utf8').includes('\\ud800')).toBe(false);
});

it('copies traces and reviews of a run over databases, and writes results of SQL of any size', async () => {
  const { home, folder } = writeDatabaseRun({
    ...{ run: 'a-run', method: 'sequential' },
    scores: [1, 1, 0, 4, 3, null],
    valid: [3, 2, 1, 2, 2, 1],
  });
  // More than the 16 MiB that DuckDB reads of one object by default.
  const rows = Array.from({ length: 18 }, () => ['x'.repeat(1_000_000)]);
  const result = { columns: [{ name: 'x', type: 'VARCHAR' }], rows, more: false as const };
  await openRunFiles(home).saveExecution(runIdSchema.parse('a-run'), sampleKey('q1'), {
    statements: [{ sql: 'SELECT x FROM t', executed: { kind: 'rows', result } }],
  });
  await exportRun(home, '--format', 'parquet');
  expect(output.stdout).toContain('scores.jsonl, traces, reviews/0123456789abcdef, report.html');
  expect(readdirSync(join(out, 'traces'))).toHaveLength(6);
  expect(readFileSync(join(out, 'reviews/0123456789abcdef/panels.jsonl'), 'utf8')).toBe(
    readFileSync(join(folder, 'reviews/0123456789abcdef/panels.jsonl'), 'utf8'),
  );
  const [[length] = []] = await querySql(
    "SELECT length(execution) FROM 'results.parquet' WHERE uuid = 'q1'",
    out,
  );
  expect(Number(length)).toBeGreaterThan(18_000_000);
});
