import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultSchema } from '../../domain/agent/question-result.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { eventually, jsonLines, newHome, turnwise, type Running } from '../support/command-line.js';
import { startTemporal } from '../support/temporal.js';

const question = { uuid: 'q1', question: 'Why?' };

describe('two homes on one Temporal server', () => {
  const homes = { a: newHome(), b: newHome() };
  const running: Running[] = [];
  let temporal: TestWorkflowEnvironment;
  let model: SimulatedModel;

  const settings = (home: keyof typeof homes): Record<string, string> => ({
    TURNWISE_HOME: homes[home],
    TEMPORAL_ADDRESS: temporal.address,
    // Nothing is searched.
    MILVUS_ADDRESS: '127.0.0.1:1',
    OPENAI_BASE_URL: model.url,
  });
  const command = (home: keyof typeof homes, ...args: readonly string[]) =>
    turnwise(args, settings(home)).finished;
  const idOf = (home: keyof typeof homes): string =>
    (JSON.parse(readFileSync(join(homes[home], 'home.json'), 'utf8')) as { id: string }).id;
  const workFor = (home: keyof typeof homes): void => {
    running.push(turnwise(['worker'], settings(home)));
  };
  const ask = (home: keyof typeof homes) =>
    command(home, 'run', dataset(homes[home]), '--run', 'same', '--method', 'direct', '--detach');

  beforeAll(async () => {
    temporal = await startTemporal();
    model = await startSimulatedModel({ script: { generated: { turns: 1 } } });
  });
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGTERM');
    await Promise.all(running.map(({ finished }) => finished));
    await model.close();
    await temporal.teardown();
  });

  it('have runs of one name that never meet, and a worker ends no question of the other', async () => {
    workFor('b');
    expect(await ask('a')).toMatchObject({ status: 0 });
    expect(await command('a', 'doctor')).toMatchObject({
      stdout: expect.stringContaining(`no worker polls turnwise-${idOf('a')}`) as unknown,
    });
    expect(await ask('b')).toMatchObject({ status: 0 });
    const b = await command('b', 'status', 'same', '--watch');
    expect(b.stdout).toContain('1 of 1 questions');
    expect(await command('b', 'doctor')).toMatchObject({
      stdout: expect.stringContaining(`${idOf('b')}; 1 worker on turnwise-${idOf('b')}`) as unknown,
    });
    // Of the run of home A not even the first workflow task was taken.
    const { client } = temporal;
    const { historyLength } = await client.workflow.getHandle(`${idOf('a')}/run/same`).describe();
    expect(historyLength).toBe(2);

    workFor('a');
    const ended = await eventually(() => {
      const lines = jsonLines(join(homes.a, 'runs', 'same', 'results.jsonl'));
      return lines.length > 0 ? lines : null;
    });
    expect(ended.map((line) => resultSchema.parse(line).outcome.kind)).toEqual(['answered']);
  });

  it('are named where a third one asks for a run that both have open', async () => {
    for (const home of ['a', 'b'] as const) {
      await temporal.client.workflow.start('runDatasetWorkflow', {
        workflowId: `${idOf(home)}/run/both`,
        taskQueue: 'nobody',
        searchAttributes: { TurnwiseRun: ['both'] },
      });
    }
    const elsewhere = { ...settings('a'), TURNWISE_HOME: newHome() };
    const said = await eventually(async () => {
      const { status, stderr } = await turnwise(['status', 'both'], elsewhere).finished;
      return status === 2 && stderr.includes('each have') ? stderr : null;
    });
    expect(said).toContain(' each have a run both: set TURNWISE_HOME or TURNWISE_STORAGE');
  });
});

it('a command for another storage than that of the services that run says so', async () => {
  const home = newHome();
  const up = turnwise(['up'], { TURNWISE_HOME: home });
  try {
    await eventually(() => (up.output().includes('Ctrl-C stops them') ? true : null));
    const elsewhere = { TURNWISE_HOME: home, TURNWISE_STORAGE: join(home, 'other') };
    const { status, stderr } = await turnwise(
      ['run', dataset(home), '--run', 'x', '--method', 'direct'],
      { ...elsewhere, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
    ).finished;
    expect(stderr).toContain(
      `the services of ${home} run for ${home}, and this command is for ${join(home, 'other')}`,
    );
    expect(status).toBe(2);
  } finally {
    up.child.kill('SIGINT');
    await up.finished;
  }
});

function dataset(home: string): string {
  mkdirSync(home, { recursive: true });
  const path = join(home, 'questions.jsonl');
  writeFileSync(path, `${JSON.stringify(question)}\n`);
  return path;
}
