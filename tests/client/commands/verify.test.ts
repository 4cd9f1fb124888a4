import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { registerExport, registerVerify } from '../../../client/commands/export.js';
import { UserError } from '../../../domain/user-error.js';
import { captureOutput } from '../../support/commands/capture-output.js';
import { expectRefusal } from '../../support/commands/refused-command.js';
import { failedAttempt, someExchange } from '../../support/runs/exchanges.js';
import {
  exampleEnd,
  exampleJudgeReply,
  exampleReply,
  sampleKey,
} from '../../support/runs/example-records.js';
import { recordedRun } from '../../support/runs/recorded-run.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';

const output = captureOutput();
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Exports a run with its receipt. Resolves to the folder. */
async function exported(home: string): Promise<string> {
  vi.stubEnv('TURNWISE_HOME', home);
  const out = mkdtempSync(join(tmpdir(), 'turnwise-receipt-'));
  const program = new CommandLine('turnwise');
  registerExport(program);
  await program.parseAsync(['export', 'a-run', '--out', out, '--format', 'receipt'], {
    from: 'user',
  });
  output.stdout = '';
  return out;
}

const receiptIn = (out: string): string => join(out, 'receipt.jsonl');

/** What `verify` prints. Rejects as it does. */
async function verified(file: string): Promise<string> {
  // It knows neither a home nor a service.
  vi.stubEnv('TURNWISE_HOME', join(tmpdir(), 'nowhere'));
  const program = new CommandLine('turnwise');
  registerVerify(program);
  await program.parseAsync(['verify', file], { from: 'user' });
  return output.stdout;
}

interface Line {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly question?: {
    readonly uuid: string;
    readonly epoch: number;
    readonly askedAgain: readonly unknown[];
    readonly found: Readonly<Record<string, unknown>> | null;
    readonly calls: readonly { readonly asking: number; readonly attempts: readonly unknown[] }[];
  };
}

const linesOf = (out: string): readonly Line[] =>
  readFileSync(receiptIn(out), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const questionIn = (out: string, uuid: string): Line['question'] =>
  linesOf(out).find(({ question }) => question?.uuid === uuid && question.epoch === 1)?.question;

const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

describe('verify', () => {
  it('says in a line what an exported receipt lists', async () => {
    const out = await exported((await recordedRun()).home);
    expect(await verified(receiptIn(out))).toMatch(
      /^verified: 12 questions, 10 calls, outcome [0-9a-f]{64}\n$/,
    );
  });

  it('names the question of a byte that was changed, with status 1', async () => {
    const out = await exported((await recordedRun()).home);
    const text = readFileSync(receiptIn(out), 'utf8');
    writeFileSync(receiptIn(out), text.replace('"costUsd":0.001', '"costUsd":0.002'));
    const error: unknown = await verified(receiptIn(out)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      status: 1,
      message: expect.stringContaining('line 2 (question right, epoch 1) is not as') as unknown,
    });
  });

  it('refuses in a sentence what is no receipt', async () => {
    const { folder } = await recordedRun();
    await expectRefusal(
      registerVerify,
      ['verify', join(folder, 'results.jsonl')],
      /results\.jsonl is no receipt .* `turnwise export RUN --out DIR --format receipt` makes one/,
    );
    await expectRefusal(registerVerify, ['verify', folder], /cannot be read: it is a folder/);
    await expectRefusal(registerVerify, ['verify', 'x.jsonl'], /x\.jsonl cannot be read: there is/);
  });
});

describe('a receipt', () => {
  it('pins the files beside it, and what the run asked', async () => {
    const { home, manifest } = await recordedRun();
    const out = await exported(home);
    const [first] = linesOf(out);
    expect(first?.header).toMatchObject({
      ...{ run: 'a-run', method: manifest.config.method, prompts: manifest.versions.prompts },
      manifest: sha256(join(out, 'manifest.json')),
      dataset: manifest.dataset.fingerprint,
      models: [manifest.config.model.name],
    });
  });

  it('has no text of a question, reply, observation or answer', async () => {
    const out = await exported((await recordedRun()).home);
    const text = readFileSync(receiptIn(out), 'utf8');
    for (const part of ['HYPERLINK', 'SELECT', 'thought', 'reply 1', 'How many', 'http'])
      expect(text).not.toContain(part);
  });

  it('has the outcome hash of a run with other attempts, times and upstreams', async () => {
    const { home, manifest, runFiles } = runInFolder([{ uuid: 'a', question: 'Why?' }]);
    const other = runInFolder([{ uuid: 'a', question: 'Why?' }]);
    const answer = { kind: 'GenerateAnswer', answer: { kind: 'text', text: '20' } } as const;
    const key = sampleKey('a');
    const { result, score } = exampleEnd(key);
    const end = { result: { ...result, turns: 1 }, score };
    const disturbed = exampleReply(1, answer, {
      ...{ retries: 3, lost: 2, unanswered: 2, startedAt: '2026-02-01T00:00:00.000Z' },
      failures: { count: 1, latest: [failedAttempt('ModelUnavailable', { status: 503 })] },
      exchange: someExchange('b'),
    });
    await runFiles.saveReply(manifest.run, key, exampleReply(1, answer));
    await other.runFiles.saveReply(manifest.run, key, disturbed);
    for (const files of [runFiles, other.runFiles]) {
      await files.saveEnd(manifest.run, key, end, []);
      await files.publish(manifest.run, [end]);
    }
    const first = await verified(receiptIn(await exported(home)));
    const out = await exported(other.home);
    expect(await verified(receiptIn(out))).toBe(first);
    expect(questionIn(out, 'a')?.calls[0]?.attempts).toMatchObject([
      { end: 'lost', count: 2, request: 'unknown' },
      { end: 'failed', failure: 'ModelUnavailable', status: 503, request: 'f'.repeat(64) },
      { end: 'replied', request: 'b'.repeat(64), reply: 'b'.repeat(64) },
    ]);
  });

  it('lists the calls of every asking, those of judges, and the one that a question ended of', async () => {
    const { home, manifest, runFiles } = runInFolder([{ uuid: 'a', question: 'Why?' }]);
    const { run } = manifest;
    const key = sampleKey('a');
    const failures = { count: 1, latest: [failedAttempt('ModelUnavailable')] };
    const failed = { kind: 'infra-error', failure: 'ModelUnavailable', message: '' } as const;
    const ended = exampleEnd(key, { ...failed, attempts: 1, failures });
    await runFiles.saveReply(run, { ...key, asking: 1 }, exampleReply(1, null));
    await runFiles.saveEnd(run, { ...key, asking: 1 }, ended, []);
    await runFiles.publish(run, [ended]);
    for (const [asking, anew] of [
      [1, false],
      [2, true],
    ] as const)
      await runFiles.reopen(run, [{ ...key, asking }], anew);
    await runFiles.saveReply(run, { ...key, asking: 3 }, exampleReply(1, null));
    await runFiles.saveJudgeReply(run, { ...key, asking: 3 }, exampleJudgeReply('0', 1));
    const question = questionIn(await exported(home), 'a');
    expect(question?.askedAgain).toEqual([
      { asking: 2, anew: false },
      { asking: 3, anew: true },
    ]);
    expect(question?.calls).toMatchObject([
      { asking: 1, of: { kind: 'turn', turn: 1 }, odd: 'unreadable' },
      { asking: 1, of: { kind: 'turn', turn: 1 }, attempts: [{ end: 'failed' }] },
      { asking: 3, of: { kind: 'turn', turn: 1 } },
      { asking: 3, of: { kind: 'judge', part: '0', number: 1 } },
    ]);
    expect(question?.found).toBeNull();
  });
});
