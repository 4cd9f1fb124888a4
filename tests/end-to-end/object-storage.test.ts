import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killService } from '../../bench/chaos/command-line.js';
import { resultSchema } from '../../domain/agent/question-result.js';
import { sum } from '../../domain/statistics/means.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { createS3Storage } from '../../storage/s3-storage.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../support/command-line.js';
import { startObjectServer, type ObjectServer } from '../../bench/servers/local-server.js';

const examples = join(checkout, 'examples');
const home = newHome();

describe('runs in an object store', () => {
  let server: ObjectServer;
  let model: SimulatedModel;
  let settings: Record<string, string>;
  let up: Running;

  const command = (...args: readonly string[]): Promise<Finished> =>
    turnwise(args, settings).finished;

  beforeAll(async () => {
    server = await startObjectServer();
    Object.assign(process.env, server.environment);
    model = await startSimulatedModel({ latencyMs: 200, script: join(examples, 'replies.json') });
    settings = {
      ...server.environment,
      TURNWISE_HOME: home,
      TURNWISE_STORAGE: `s3://${server.bucket}/benchmarks`,
      OPENAI_BASE_URL: model.url,
    };
    up = turnwise(['up'], settings);
    await untilReady(up);
    const ingested = await command('store', 'add', join(examples, 'papers'), '--store', 'papers');
    expect(ingested, ingested.stderr).toMatchObject({ status: 0 });
  });

  afterAll(async () => {
    up.child.kill('SIGINT');
    await up.finished;
    await model.close();
    await server.stop();
  });

  it('survive the death of the worker, and call no model twice for what was stored', async () => {
    const dataset = join(examples, 'questions.jsonl');
    const run = turnwise(
      ['run', dataset, '--store', 'papers', '--run', 'afar', '--concurrency', '8'],
      settings,
    );
    await eventually(() => (model.stats().received >= 20 ? true : null));
    killService(home, 'worker');
    const { status, stdout, stderr } = await run.finished;
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('24 of 24 questions answered\nmean score 1.000 over 24 scored');
    expect(stdout).toContain('results: s3://runs/benchmarks/runs/afar/results.jsonl');
    expect(existsSync(join(home, 'runs'))).toBe(false);
  });

  it('are exported as the files of a run, and read by the other commands', async () => {
    const out = mkdtempSync(join(tmpdir(), 'turnwise-export-'));
    expect(await command('export', 'afar', '--out', out)).toMatchObject({ status: 0 });
    expect(readdirSync(out).toSorted()).toEqual([
      'dataset.jsonl',
      'manifest.json',
      'report.html',
      'results.jsonl',
      'scores.jsonl',
      'trajectories',
    ]);
    const results = jsonLines(join(out, 'results.jsonl')).map((line) => resultSchema.parse(line));
    expect(new Set(results.map(({ uuid }) => uuid)).size).toBe(24);
    const [first] = results;
    const trajectory = await command('trajectory', 'afar', first?.uuid ?? '', '--json');
    expect(JSON.parse(trajectory.stdout)).toEqual(jsonLines(join(out, first?.trajectory ?? '')));
    expect((await command('runs')).stdout).toMatch(/afar +done .* 24 of 24 +1\.000/);
    expect((await command('status', 'afar')).stdout).toContain('24 of 24 questions answered');
    const again = await command('score', 'afar', '--json');
    expect(again, again.stderr).toMatchObject({ status: 0 });
    const { stdout } = await command('disk', '--json');
    const uses = JSON.parse(stdout) as readonly { readonly name: string; readonly bytes: number }[];
    const sizes = new Map(uses.map(({ name, bytes }) => [name, bytes]));
    for (const name of ['run afar', 'store papers', 'local copies of objects'])
      expect(sizes.get(name), name).toBeGreaterThan(1000);
    expect(await command('report', 'afar')).toMatchObject({ status: 0 });
    expect(readFileSync(join(home, 'afar-report.html'), 'utf8')).toContain('afar');
  });

  it('take a dozen objects a question at most, and little more than their texts', async () => {
    const storage = createS3Storage({ bucket: server.bucket, prefix: 'benchmarks/runs/afar' });
    const sizes = async (folder: string): Promise<readonly number[]> => {
      const names = await storage.list(folder);
      const all = names.map(async (name) => {
        const path = `${folder}${folder === '' ? '' : '/'}${name}`;
        if (name.endsWith('/')) return sizes(path.slice(0, -1));
        return (await storage.version(path))?.bytes ?? 0;
      });
      return (await Promise.all(all)).flat();
    };
    const texts = await sizes('trajectories');
    const all = await sizes('');
    // Results come in more parts on a slow machine.
    expect(all.length).toBeLessThan(24 * 12);
    expect(sum(all) / sum(texts)).toBeLessThan(1.3);
  });

  it('are asked anew where that is wished, and keep what was paid before', async () => {
    const uuid = (
      JSON.parse(readFileSync(join(examples, 'questions.jsonl'), 'utf8').split('\n')[0] ?? '') as {
        uuid: string;
      }
    ).uuid;
    const before = model.stats().received;
    const retried = await command('retry', 'afar', '--question', uuid, '--anew');
    expect(retried, retried.stderr).toMatchObject({ status: 0 });
    await eventually(() => (model.stats().received > before ? true : null));
    const status = await command('status', 'afar', '--watch');
    expect(status.stdout).toContain('24 of 24 questions answered\nmean score 1.000 over 24 scored');
  });
});
