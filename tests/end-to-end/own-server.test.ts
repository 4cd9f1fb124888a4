import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runChaos, type ChaosSettings } from '../../bench/chaos/chaos-run.js';
import { checkRun } from '../../bench/chaos/check-run.js';
import { killService } from '../../bench/chaos/kill-service.js';
import { ingestExamplePapers } from '../../bench/example-store.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { namedServer } from '../../temporal/server-settings.js';
import {
  eventually,
  newHome,
  turnwise,
  type Finished,
  type Running,
} from '../support/command-line.js';
import {
  createNamespace,
  startOwnServer,
  startTimeoutMs,
  withoutPostgres,
  type OwnServer,
} from '../support/own-server/own-server.js';

const ignoreLog = (): void => undefined;
const namespace = 'benchmarks';
const latencyMs = 400;

describe.skipIf(withoutPostgres)('a Temporal server of the user over Postgres', () => {
  const home = newHome();
  const chaos: ChaosSettings = {
    seed: 1,
    home,
    run: 'undisturbed',
    questions: 20,
    turns: 3,
    inFlight: 5,
    model: {},
    pause: null,
    helper: false,
  };
  let server: OwnServer;
  let model: SimulatedModel;
  let settings: Record<string, string>;
  let up: Running | null = null;

  const command = (...args: readonly string[]): Promise<Finished> =>
    turnwise(args, settings).finished;

  beforeAll(async () => {
    server = await startOwnServer();
    const prompts = { questions: [], prompts: [], generated: { turns: chaos.turns } };
    model = await startSimulatedModel({ latencyMs, script: prompts });
    settings = {
      TURNWISE_HOME: home,
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: namespace,
      OPENAI_BASE_URL: model.url,
    };
    await ingestExamplePapers(home, ignoreLog);
    await runChaos(chaos, ignoreLog);
  }, startTimeoutMs);

  afterAll(async () => {
    up?.child.kill('SIGINT');
    await up?.finished;
    await model.close();
    await server.stop();
  });

  it('has no namespace for the runs at first, which commands and the doctor say', async () => {
    const sentence = `Temporal at ${server.address} has no namespace benchmarks`;
    const create = '`temporal operator namespace create --namespace benchmarks --retention 30d`';
    const status = await command('status', 'undisturbed', '--watch');
    expect(status).toMatchObject({ status: 2 });
    expect(status.stderr).toBe(
      `turnwise: ${sentence}: correct TEMPORAL_NAMESPACE, or create it with ${create}\n`,
    );
    const doctor = await command('doctor');
    expect(doctor).toMatchObject({ status: 2 });
    expect(doctor.stdout).toContain(sentence);
  });

  it('is given the search attributes by the first worker', async () => {
    const named = namedServer(settings);
    if (named === undefined) throw new Error('no server');
    await createNamespace(named, 3);
    const lacking = await command('doctor');
    expect(lacking.stdout).toContain(
      'benchmarks; keeps histories for 3 days after their end; lacks search attributes',
    );
    expect(lacking.stdout).toContain(
      '`temporal operator search-attribute create --namespace benchmarks --name TurnwiseRun --type Keyword ',
    );
    up = turnwise(['up'], settings);
    await eventually(() => (up?.output().includes('Ctrl-C stops them') ? true : null));
    const served = await command('doctor');
    expect(served.stdout).toContain('benchmarks; keeps histories for 3 days after their end\n');
  });

  it('carries a run through the death of its worker and a restart of Postgres', async () => {
    const run = turnwise(
      [
        ...['run', `${home}/undisturbed.jsonl`, '--store', 'examples', '--run', 'disturbed'],
        ...['--concurrency', String(chaos.inFlight)],
      ],
      settings,
    );
    await eventually(() => (model.stats().received >= 15 ? true : null));
    const inFlightAtKills = model.stats().inFlight;
    expect(killService(home, 'worker')).toBe(true);
    await eventually(() => (model.stats().received >= 35 ? true : null));
    await server.postgres.restart();
    const ended = await run.finished;
    expect(ended, ended.stderr).toMatchObject({ status: 0 });
    expect(ended.stdout).toContain('20 of 20 questions answered');
    const kills = { worker: 1, temporal: 0, milvus: 0, command: 0, helper: 0 };
    const result = { kills, inFlightAtKills, stats: model.stats(), wallMs: 0 };
    const check = await checkRun({ ...chaos, run: 'disturbed' }, chaos.run, result);
    expect(check).toMatchObject({ lost: 0, twice: 0, differing: [] });
    expect(check.repeated).toBeLessThanOrEqual(check.mayBeRepeated);
    expect(check.paidAgain).toBeLessThanOrEqual(check.mayBePaidAgain);
  });
});
