import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { generatedAnswer } from '../../client/simulated-model/generated-question.js';
import {
  startSimulatedModel,
  type SimulatedModel,
} from '../../client/simulated-model/simulated-model.js';
import { messageSchema } from '../../domain/questions/message.js';
import { resultSchema } from '../../domain/questions/result.js';
import { servicesRecordSchema, type ServiceName } from '../../domain/services/services-record.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  turnwise,
  type Running,
} from '../support/command-line.js';

const questions = Array.from({ length: 40 }, (_, index) => ({
  uuid: `q-${index + 1}`,
  question: `What does measurement ${index + 1} come to?`,
  evaluator: {
    eval_func: 'eval_string_exact_match',
    eval_kwargs: { gold: generatedAnswer(`What does measurement ${index + 1} come to?`) },
  },
}));
const turnsEach = 6;

/** Kills that come as the run has made so many calls, in this order; the command line is the last. */
const kills: readonly { readonly afterCalls: number; readonly victim: ServiceName | 'command' }[] =
  [
    { afterCalls: 35, victim: 'worker' },
    { afterCalls: 85, victim: 'temporal' },
    { afterCalls: 125, victim: 'milvus' },
    { afterCalls: 165, victim: 'command' },
  ];

describe('a run of 40 questions whose processes are killed one after the other', () => {
  const home = newHome();
  const run = join(home, 'runs/killed');
  let model: SimulatedModel;
  let settings: Record<string, string>;
  let inFlightAtKills = 0;
  let up: Running;

  beforeAll(async () => {
    model = await startSimulatedModel({
      latencyMs: 300,
      script: { questions: [], prompts: [], generated: { turns: turnsEach } },
    });
    settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-kill-test' };
    const papers = join(checkout, 'examples/papers');
    const ingested = await turnwise(['ingest', papers, '--store', 'papers'], settings).finished;
    expect(ingested).toMatchObject({ status: 0 });
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, 'questions.jsonl'),
      questions.map((question) => `${JSON.stringify(question)}\n`).join(''),
    );

    const command = turnwise(
      [
        'run',
        join(home, 'questions.jsonl'),
        '--store',
        'papers',
        '--run',
        'killed',
        '--concurrency',
        '10',
      ],
      settings,
    );
    for (const { afterCalls, victim } of kills) {
      await eventually(() => (model.stats().received >= afterCalls ? true : null));
      const pid = victim === 'command' ? command.child.pid : pidOf(home, victim);
      inFlightAtKills += model.stats().inFlight;
      process.kill(pid ?? 0, 'SIGKILL');
    }
    await command.finished;
    up = turnwise(['up'], settings);
    await eventually(() => (jsonLines(join(run, 'results.jsonl')).length >= 40 ? true : null));
  });

  afterAll(async () => {
    up.child.kill('SIGINT');
    await up.finished;
    await model.close();
  });

  it('ends every question once, with the answers of an undisturbed run', () => {
    const results = jsonLines(join(run, 'results.jsonl')).map((line) => resultSchema.parse(line));
    expect(results.map(({ uuid }) => uuid).sort()).toEqual(
      questions.map(({ uuid }) => uuid).sort(),
    );
    for (const { uuid, answer, outcome, turns } of results) {
      const question = questions.find((other) => other.uuid === uuid)?.question ?? '';
      expect({ uuid, answer, outcome, turns }).toEqual({
        uuid,
        answer: generatedAnswer(question),
        outcome: { kind: 'answered' },
        turns: turnsEach,
      });
    }
  });

  it('repeats no more model calls than were in flight at the kills', () => {
    const { received } = model.stats();
    expect(received - questions.length * turnsEach).toBeLessThanOrEqual(inFlightAtKills);
  });

  it('exports trajectories in the form of the seeds', async () => {
    const out = join(home, 'exported');
    expect(await turnwise(['export', 'killed', '--out', out], settings).finished).toMatchObject({
      status: 0,
    });
    const lines = jsonLines(join(out, 'trajectories/q-1.jsonl'));
    expect(lines.map((line) => Object.keys(line as object))).toEqual(
      lines.map(() => ['role', 'content']),
    );
    expect(lines.map((line) => messageSchema.parse(line).role)).toEqual([
      'system',
      'user',
      ...Array.from({ length: turnsEach }, () => ['assistant', 'user']).flat(),
    ]);
  });

  it('keeps the history of a question under 3 KB a turn and says so in its status', async () => {
    const { status, stdout } = await turnwise(['status', 'killed', '--json'], settings).finished;
    expect(status).toBe(0);
    const statusSchema = z.object({
      ended: z.literal(questions.length),
      historyBytes: z.int().positive(),
      historyEvents: z.int().positive(),
      historyBytesPerTurn: z.int().positive().lt(3000),
    });
    expect(statusSchema.safeParse(JSON.parse(stdout)).error).toBeUndefined();
  });

  it('writes the key into no file', () => {
    const files = ['manifest.json', 'results.jsonl', 'scores.jsonl'].map((name) =>
      readFileSync(join(run, name), 'utf8'),
    );
    expect(files.join('\n')).not.toContain('sk-kill-test');
  });
});

function pidOf(home: string, name: ServiceName): number {
  const record = servicesRecordSchema.parse(
    JSON.parse(readFileSync(join(home, 'services.json'), 'utf8')),
  );
  const service = record.services.find((other) => other.name === name);
  if (!service) throw new Error(`services.json names no ${name}`);
  return service.pid;
}
