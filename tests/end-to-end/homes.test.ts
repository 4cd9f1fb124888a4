import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineSearchAttributeKey } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTemporal } from '../../client/services/session.js';
import { searchAttributes } from '../../domain/ids.js';
import { environmentSchema } from '../../domain/settings.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  newHome,
  turnwise,
  type Running,
  untilReady,
} from '../support/command-line.js';

const examples = join(checkout, 'examples');
const questions = join(examples, 'questions.jsonl');

describe('two homes on one Temporal server', () => {
  const homes = { a: newHome(), b: newHome() };
  /** The server is the embedded one of home B. */
  let up: Running;
  let address: string;
  let model: SimulatedModel;

  const settings = (home: keyof typeof homes): Record<string, string> => ({
    ...addressesIn(homes.b),
    TURNWISE_HOME: homes[home],
    OPENAI_BASE_URL: model.url,
  });
  const command = (home: keyof typeof homes, ...args: readonly string[]) =>
    turnwise(args, settings(home)).finished;
  const idOf = (home: keyof typeof homes): string =>
    (JSON.parse(readFileSync(join(homes[home], 'home.json'), 'utf8')) as { id: string }).id;
  const ingest = (home: keyof typeof homes) =>
    command(home, 'store', 'add', join(examples, 'papers'), '--store', `papers_${home}`);
  const ask = (home: keyof typeof homes) =>
    command(
      home,
      ...['run', questions, '--store', `papers_${home}`, '--run', 'same', '--limit', '2'],
      '--detach',
    );
  const workingForA = async <T>(work: () => Promise<T>): Promise<T> => {
    const worker = turnwise(['worker'], settings('a'));
    try {
      return await work();
    } finally {
      worker.child.kill('SIGTERM');
      await worker.finished;
    }
  };

  beforeAll(async () => {
    model = await startSimulatedModel({ script: join(examples, 'replies.json') });
    up = turnwise(['up'], { TURNWISE_HOME: homes.b, OPENAI_BASE_URL: model.url });
    await untilReady(up);
    address = addressesIn(homes.b).TEMPORAL_ADDRESS;
    expect(await ingest('b')).toMatchObject({ status: 0 });
    await workingForA(async () => expect(await ingest('a')).toMatchObject({ status: 0 }));
  });
  afterAll(async () => {
    up.child.kill('SIGINT');
    await up.finished;
    await model.close();
  });

  it('have runs of one name that never meet, and a worker ends no question of the other', async () => {
    // Nobody works for it yet, so that nobody could probe its model.
    expect(await ask('a')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('no worker runs that could make the call') as unknown,
    });
    expect(await ask('b')).toMatchObject({ status: 0 });
    expect(await command('b', 'status', 'same', '--watch')).toMatchObject({
      stdout: expect.stringContaining('2 of 2 questions answered') as unknown,
    });
    expect(await command('b', 'doctor')).toMatchObject({
      stdout: expect.stringContaining(`${idOf('b')}; 1 worker on turnwise-${idOf('b')}`) as unknown,
    });
    // Of the run of home A not even the first workflow task was taken.
    const client = await connectTemporal(address, environmentSchema.parse(settings('a')));
    const { historyLength } = await client.workflow.getHandle(`${idOf('a')}/run/same`).describe();
    await client.connection.close();
    expect(historyLength).toBe(2);
    expect(existsSync(join(homes.a, 'runs', 'same', 'results.jsonl'))).toBe(false);

    await workingForA(async () => {
      expect(await command('a', 'status', 'same', '--watch')).toMatchObject({
        stdout: expect.stringContaining('2 of 2 questions answered') as unknown,
      });
    });
  });

  it('are named where a third one asks for a run that both have open', async () => {
    const client = await connectTemporal(address, environmentSchema.parse(settings('a')));
    for (const home of ['a', 'b'] as const) {
      await client.workflow.start('runDatasetWorkflow', {
        workflowId: `${idOf(home)}/run/both`,
        taskQueue: 'nobody',
        typedSearchAttributes: [
          { key: defineSearchAttributeKey(searchAttributes.run, 'KEYWORD'), value: 'both' },
        ],
      });
    }
    await client.connection.close();
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
    await untilReady(up);
    const elsewhere = { TURNWISE_HOME: home, TURNWISE_STORAGE: join(home, 'other') };
    const { status, stderr } = await turnwise(
      ['store', 'add', join(examples, 'papers'), '--store', 'papers'],
      elsewhere,
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

function addressesIn(home: string): Record<'TEMPORAL_ADDRESS' | 'MILVUS_ADDRESS', string> {
  const { temporalAddress, milvusAddress } = JSON.parse(
    readFileSync(join(home, 'services.json'), 'utf8'),
  ) as Record<'temporalAddress' | 'milvusAddress', string>;
  return { TEMPORAL_ADDRESS: temporalAddress, MILVUS_ADDRESS: milvusAddress };
}
