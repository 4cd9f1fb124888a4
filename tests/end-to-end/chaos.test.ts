import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ingestExamples } from '../../bench/chaos.js';
import { weather, type Storm, type Weathered } from '../../bench/chaos/chaos-run.js';
import { judge, type Verdict } from '../../bench/chaos/verdict.js';
import { messageSchema } from '../../domain/models/chat-message.js';
import { eventually, jsonLines, newHome, turnwise } from '../support/command-line.js';

const unheard = (): void => undefined;

describe('a run whose processes are killed at random, over an endpoint with faults', () => {
  const home = newHome();
  const storm: Storm = {
    seed: 3,
    home,
    run: 'stormy',
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
  let weathered: Weathered;
  let verdict: Verdict;

  beforeAll(async () => {
    await ingestExamples(home, unheard);
    const calm = { ...storm, run: 'calm', pause: null, model: {} };
    await weather(calm, unheard);
    weathered = await weather(storm, unheard);
    verdict = await judge(storm, calm.run, weathered);
  });

  it('has lost each of its processes at least once', () => {
    const { worker, temporal, milvus, command } = weathered.kills;
    expect(Math.min(worker, temporal, milvus, command)).toBeGreaterThan(0);
  });

  it('ends every question once, as in calm weather: answers, scores and conversations', () => {
    expect(verdict).toMatchObject({ lost: 0, twice: 0, differing: [] });
  });

  it('repeats no more model calls than were under way at kills or met a fault, and pays again for none but the former', () => {
    expect(verdict.repeated).toBeLessThanOrEqual(verdict.mayBeRepeated);
    expect(verdict.paidAgain).toBeLessThanOrEqual(verdict.mayBePaidAgain);
  });

  it('exports trajectories in the form of the seeds', async () => {
    const out = join(home, 'exported');
    const exported = turnwise(['export', storm.run, '--out', out], { TURNWISE_HOME: home });
    expect(await exported.finished).toMatchObject({ status: 0 });
    const lines = jsonLines(join(out, 'trajectories/q-1.jsonl'));
    expect(lines.map((line) => Object.keys(line as object))).toEqual(
      lines.map(() => ['role', 'content']),
    );
    expect(lines.map((line) => messageSchema.parse(line).role)).toEqual([
      'system',
      'user',
      ...Array.from({ length: storm.turns }, () => ['assistant', 'user']).flat(),
    ]);
  });

  it('keeps the history of a question under 2.5 KB a turn and says so in its status', async () => {
    const settings = { TURNWISE_HOME: home };
    const up = turnwise(['up'], settings);
    await eventually(() => (up.output().includes('Ctrl-C stops them') ? true : null));
    const shown = turnwise(['status', storm.run, '--json', '--histories'], settings);
    const { status, stdout } = await shown.finished;
    up.child.kill('SIGINT');
    await up.finished;
    expect(status).toBe(0);
    const statusSchema = z.object({
      ended: z.literal(storm.questions),
      historyBytes: z.int().positive(),
      historyEvents: z.int().positive(),
      historyBytesPerTurn: z.int().positive().lt(2500),
    });
    expect(statusSchema.safeParse(JSON.parse(stdout)).error).toBeUndefined();
  });

  it('writes the key into no file', () => {
    const files = ['manifest.json', 'results.jsonl', 'scores.jsonl'].map((name) =>
      readFileSync(join(home, 'runs', storm.run, name), 'utf8'),
    );
    expect(files.join('\n')).not.toContain('sk-chaos');
  });
});
