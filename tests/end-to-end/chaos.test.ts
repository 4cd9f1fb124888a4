import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runChaos, type ChaosResult, type ChaosSettings } from '../../bench/chaos/chaos-run.js';
import { checkRun, type RunCheck } from '../../bench/chaos/check-run.js';
import { ingestExamplePapers } from '../../bench/example-store.js';
import { contentText, messageSchema } from '../../domain/models/chat-message.js';
import { jsonLines, newHome, turnwise, untilReady } from '../support/command-line.js';

const ignoreLog = (): void => undefined;

describe('a run whose processes are killed at random, over an endpoint with faults', () => {
  const home = newHome();
  const settings: ChaosSettings = {
    seed: 3,
    home,
    run: 'disturbed',
    questions: 40,
    turns: 6,
    inFlight: 10,
    model: {
      latencyMs: 300,
      jitter: 0.5,
      faults: { '429': 0.02, '500': 0.02, reset: 0.02, hang: 0.005, 'malformed-json': 0.02 },
    },
    pause: { unit: 'calls', least: 25, most: 55 },
    helper: false,
  };
  let result: ChaosResult;
  let check: RunCheck;

  beforeAll(async () => {
    await ingestExamplePapers(home, ignoreLog);
    const undisturbed = { ...settings, run: 'undisturbed', pause: null, model: {} };
    await runChaos(undisturbed, ignoreLog);
    result = await runChaos(settings, ignoreLog);
    check = await checkRun(settings, undisturbed.run, result);
  });

  it('has lost each of its processes at least once', () => {
    const { worker, temporal, milvus, command } = result.kills;
    expect(Math.min(worker, temporal, milvus, command)).toBeGreaterThan(0);
  });

  it('ends every question once, with the answers, scores and conversations of the undisturbed run', () => {
    expect(check).toMatchObject({ lost: 0, twice: 0, differing: [] });
  });

  it('repeats no more model calls than were in flight at a kill or met a fault, and pays again only for the former', () => {
    expect(check.repeated).toBeLessThanOrEqual(check.mayBeRepeated);
    expect(check.paidAgain).toBeLessThanOrEqual(check.mayBePaidAgain);
  });

  it('has stored every token that was billed, or says that it may be lost', () => {
    expect(check.storedTokens).toBeLessThanOrEqual(check.billedTokens);
    expect(check.billedTokens).toBeLessThanOrEqual(check.storedTokens + check.lostTokens);
  });

  it('exports trajectories as role and content, a message a line', async () => {
    const out = join(home, 'exported');
    const exported = turnwise(['export', settings.run, '--out', out], { TURNWISE_HOME: home });
    expect(await exported.finished).toMatchObject({ status: 0 });
    const lines = jsonLines(join(out, 'trajectories/q-1.jsonl'));
    expect(lines.map((line) => Object.keys(line as object))).toEqual(
      lines.map(() => ['role', 'content']),
    );
    expect(lines.map((line) => messageSchema.parse(line).role)).toEqual([
      'system',
      'user',
      ...Array.from({ length: settings.turns }, () => ['assistant', 'user']).flat(),
    ]);
  });

  it('keeps the history of a question under 2.5 KB a turn, as the status shows', async () => {
    const environment = { TURNWISE_HOME: home };
    const up = turnwise(['up'], environment);
    await untilReady(up);
    const shown = turnwise(['status', settings.run, '--json', '--histories'], environment);
    const { status, stdout } = await shown.finished;
    up.child.kill('SIGINT');
    await up.finished;
    expect(status).toBe(0);
    const statusSchema = z.object({
      ended: z.literal(settings.questions),
      historyBytes: z.int().positive(),
      historyEvents: z.int().positive(),
      historyBytesPerTurn: z.int().positive().lt(2500),
      actionsPerQuestion: z.number().lte(2.5 * settings.turns + 5),
    });
    expect(statusSchema.safeParse(JSON.parse(stdout)).error).toBeUndefined();
  });

  it('stores at most 12 files for a question of 10 turns, and 1.3 bytes for each of its texts', async () => {
    const questions = 10;
    const turns = 10;
    const measured = { ...settings, run: 'measured', questions, turns, pause: null, model: {} };
    await runChaos(measured, ignoreLog);
    const folder = join(home, 'runs', measured.run);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(files.length / questions).toBeLessThanOrEqual(12);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    const texts = Array.from({ length: questions }, (_, index) =>
      jsonLines(join(folder, 'trajectories', `q-${index + 1}.jsonl`)).map((line) =>
        Buffer.byteLength(contentText(messageSchema.parse(line).content)),
      ),
    );
    // Each has its system prompt, its question, and a reply and an observation a turn.
    expect(texts.map(({ length }) => length)).toEqual(texts.map(() => 2 + 2 * turns));
    const textBytes = texts.flat().reduce((sum, length) => sum + length, 0);
    expect(bytes / textBytes).toBeLessThanOrEqual(1.3);
  });

  it('writes the key into no file', () => {
    const files = ['manifest.json', 'results.jsonl', 'scores.jsonl'].map((name) =>
      readFileSync(join(home, 'runs', settings.run, name), 'utf8'),
    );
    expect(files.join('\n')).not.toContain('sk-chaos');
  });
});
