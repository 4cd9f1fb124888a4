import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  runOnMachines,
  type MachinesResult,
  type MachinesSettings,
} from '../../bench/chaos/machines/machines-run.js';
import { startTimeoutMs } from '../../bench/servers/own-server.js';
import { withoutPostgres } from '../support/own-server/without-postgres.js';

const settings: MachinesSettings = {
  seed: 3,
  questions: 12,
  turns: 4,
  inFlight: 4,
  model: { latencyMs: 700, jitter: 0.5 },
  outages: { milvusSeconds: 2, keySeconds: 2, objectsSeconds: 2 },
};

// The short form of `npm run chaos -- machines`.
describe.skipIf(withoutPostgres)('machines that share nothing but addresses', () => {
  const said: string[] = [];
  let result: MachinesResult;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-machines-'));
    result = await runOnMachines(settings, folder, (step) => said.push(step));
    if (result.disks.kind === 'watched') process.stderr.write(`${said[0]}\n`);
  }, startTimeoutMs);

  it('have gone and come, and missed everything that they share for a time', () => {
    expect(result.happened, said.join('\n')).toEqual([
      'Milvus is down',
      'machine a is killed for good',
      'the key is refused',
      'machine c is added',
      'the object store is down',
      'Postgres is restarted',
    ]);
  });

  it('end every question once, with the answers, scores and conversations of the undisturbed run', () => {
    expect(result.check).toMatchObject({ lost: 0, twice: 0, infraErrors: 0, differing: [] });
    expect(result.restarts).toBe(0);
  });

  it('repeat no more model calls than were in flight at the kill', () => {
    const { check, inFlightAtKills, stats } = result;
    expect(check.repeated - stats.refused).toBeLessThanOrEqual(inFlightAtKills);
    expect(check.paidAgain).toBeLessThanOrEqual(inFlightAtKills);
  });

  it('have both worked, and found no path of each other, of the command or of the servers', () => {
    expect(result.atWork).toEqual(expect.arrayContaining(['a', 'b']));
    expect(result.foreign).toEqual([]);
  });
});
