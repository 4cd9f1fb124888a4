import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRun } from '../../../bench/chaos/check-run.js';
import { killService } from '../../../bench/chaos/command-line.js';
import { datasetOf } from '../../../bench/question-run.js';
import { HomeClient } from '../../../client/services/home-client.js';
import { startRun } from '../../../client/runs/start-run.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { namedServer, type ServerSettings } from '../../../temporal/server-settings.js';
import {
  checkout,
  eventually,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import {
  createNamespace,
  startOwnServer,
  startTimeoutMs,
  type OwnServer,
} from '../../../bench/servers/own-server.js';
import { withoutPostgres } from '../../support/own-server/without-postgres.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { testHome } from '../../support/test-home.js';

const namespace = 'benchmarks';
const questions = 20;
const turns = 3;
const inFlight = 5;

describe.skipIf(withoutPostgres)('a Temporal server of the user over Postgres', () => {
  const home = newHome();
  const dataset = join(home, 'questions.jsonl');
  let server: OwnServer;
  let named: ServerSettings;
  let model: SimulatedModel;
  let settings: Record<string, string>;
  let up: Running | null = null;

  const command = (...args: readonly string[]): Promise<Finished> =>
    turnwise(args, settings).finished;
  const ingest = (): Promise<Finished> =>
    command('store', 'add', join(checkout, 'examples/papers'), '--store', 'examples');
  const run = (name: string): Promise<Finished> =>
    command(
      ...['run', dataset, '--store', 'examples', '--run', name],
      ...['--concurrency', String(inFlight), '--no-probe'],
    );

  beforeAll(async () => {
    server = await startOwnServer();
    writeFileSync(dataset, datasetOf(questions));
    const script = { questions: [], prompts: [], generated: { turns } };
    model = await startSimulatedModel({ latencyMs: 400, script });
    settings = {
      TURNWISE_HOME: home,
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: namespace,
      OPENAI_BASE_URL: model.url,
    };
    const configured = namedServer(settings);
    if (configured === undefined) throw new Error('no server is named');
    named = configured;
  }, startTimeoutMs);

  afterAll(async () => {
    up?.child.kill('SIGINT');
    await up?.finished;
    await model.close();
    await server.stop();
  });

  it('has no namespace for the runs at first, as commands and the doctor say', async () => {
    const sentence = `Temporal at ${server.address} has no namespace benchmarks`;
    const create = '`temporal operator namespace create --namespace benchmarks --retention 30d`';
    expect(await ingest()).toMatchObject({
      status: 2,
      stderr: `turnwise: ${sentence}: correct TEMPORAL_NAMESPACE, or create it with ${create}\n`,
    });
    const doctor = await command('doctor');
    expect(doctor).toMatchObject({ status: 2 });
    expect(doctor.stdout).toContain(sentence);
  });

  it('is given the search attributes by the first worker', async () => {
    await createNamespace(named, 3);
    const lacking = await command('doctor');
    expect(lacking.stdout).toContain(
      'benchmarks; keeps histories for 3 days after their end; lacks search attributes',
    );
    expect(lacking.stdout).toContain(
      '`temporal operator search-attribute create --namespace benchmarks --name TurnwiseRun --type Keyword ',
    );
    up = turnwise(['up'], settings);
    await untilReady(up);
    const served = await command('doctor');
    expect(served.stdout).toContain('benchmarks; keeps histories for 3 days after their end\n');
  });

  it('is given them by a command that starts a run before there is a worker', async () => {
    const early = { ...settings, TEMPORAL_NAMESPACE: 'early' };
    const configured = namedServer(early);
    if (configured === undefined) throw new Error('no server is named');
    await createNamespace(configured, 3);
    const connection = await Connection.connect(configured.connection);
    const client = new HomeClient({ connection, namespace: 'early' }, testHome, 'nobody');
    const handle = await startRun(client, exampleManifest());
    const { typedSearchAttributes } = await handle.describe();
    expect(typedSearchAttributes.getAll()).toHaveLength(5);
    await connection.close();
  });

  it('carries a run through the death of its worker and a restart of Postgres', async () => {
    const ingested = await ingest();
    expect(ingested, ingested.stderr).toMatchObject({ status: 0 });
    expect(await run('undisturbed')).toMatchObject({ status: 0 });
    const before = model.stats();
    const received = (): number => model.stats().received - before.received;
    expect(before.received).toBe(questions * turns);

    const running = run('disturbed');
    await eventually(() => (received() >= 15 ? true : null));
    expect(killService(home, 'worker')).toBe(true);
    await eventually(() => (received() >= 35 ? true : null));
    await server.postgres.restart();
    const ended = await running;
    expect(ended, ended.stderr).toMatchObject({ status: 0 });
    expect(ended.stdout).toContain('20 of 20 questions answered');
    const check = await checkRun({ home, run: 'disturbed', questions, turns }, 'undisturbed', {
      stats: { ...model.stats(), received: received() },
      // One for each question under way: also a reply that was on its way to the record is asked for again.
      inFlightAtKills: inFlight,
    });
    expect(check).toMatchObject({ lost: 0, twice: 0, differing: [] });
    expect(check.repeated).toBeLessThanOrEqual(check.mayBeRepeated);
  });

  it('has nothing that a run needs once its histories are deleted', async () => {
    await deleteHistories(named);
    const before = model.stats().received;
    const report = await command('report', 'disturbed');
    expect(report, report.stderr).toMatchObject({ status: 0 });
    expect(await command('status', 'disturbed')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('20 of 20 questions answered') as unknown,
    });
    // The same command goes on with the run, of which nothing is left to do.
    expect(await run('disturbed')).toMatchObject({ status: 0 });
    expect(model.stats().received).toBe(before);
    const retried = await command('retry', 'disturbed', '--question', 'q-1', '--anew');
    expect(retried, retried.stderr).toMatchObject({ status: 0 });
    const watched = await command('status', 'disturbed', '--watch');
    expect(watched, watched.stderr).toMatchObject({ status: 0 });
    expect(watched.stdout).toContain('20 of 20 questions answered');
    expect(model.stats().received).toBe(before + turns);
    const results = readFileSync(join(home, 'runs', 'disturbed', 'results.jsonl'), 'utf8');
    expect(results).toContain('"q-1"');
  });
});

/** What retention does after its days. */
async function deleteHistories({ connection: options }: ServerSettings): Promise<void> {
  const connection = await Connection.connect(options);
  const { workflowService } = connection;
  const ended = async (): Promise<readonly { workflowId: string; runId: string }[]> => {
    const { executions } = await workflowService.listWorkflowExecutions({
      namespace,
      query: "ExecutionStatus != 'Running'",
      pageSize: 500,
    });
    return executions.map(({ execution }) => ({
      workflowId: execution?.workflowId ?? '',
      runId: execution?.runId ?? '',
    }));
  };
  try {
    for (const workflowExecution of await ended()) {
      await workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    }
    await eventually(async () => ((await ended()).length === 0 ? true : null));
  } finally {
    await connection.close();
  }
}
