import { expect, it } from 'vitest';
import { createActivities, type Ports } from '../../activities/index.js';
import { runActivity } from '../support/run-activity.js';

/** Whoever touches one of these ports has let an input through. */
const untouched = new Proxy(
  {},
  {
    get: (_ports, name) =>
      new Proxy(
        {},
        {
          get: () => () => Promise.reject(new Error(`port ${String(name)} was used`)),
        },
      ),
  },
) as Ports;

const activities = Object.entries(createActivities(untouched));
const good = {
  run: 'a-run',
  store: 'papers',
  uuid: 'q1',
  epoch: 1,
  turn: 1,
  keys: [{ uuid: 'q1', epoch: 1 }],
  ingestion: { store: 'papers', id: '9b2c1ad8-6a43-4a0e-9f0a-4b1d2c3e4f50' },
};
const outside = '../../x';
// Any text of one line is a uuid: `domain/ids.ts` makes the names of files.
const noUuid = '../../x\n';
const bad: readonly (readonly [string, object])[] = [
  ['run', { run: outside }],
  ['store', { store: outside }],
  ['uuid', { uuid: noUuid }],
  ['epoch', { epoch: '1/../..' }],
  ['turn', { turn: outside }],
  ['keys', { keys: [{ uuid: noUuid, epoch: 1 }] }],
  ['judging', { judging: outside }],
  ['review', { review: outside }],
  ['job', { job: outside }],
  ['database', { database: outside }],
  ['ingestion', { ingestion: { ...good.ingestion, id: outside } }],
  ['sha256', { sha256: outside }],
];

it.each(activities.map(([name, activity]) => [name, activity] as const))(
  '%s refuses names that are paths, for good',
  async (_name, activity) => {
    for (const [field, names] of bad) {
      const run = runActivity(activity as (input: object) => Promise<unknown>, {
        ...good,
        ...names,
      });
      await expect(run, field).rejects.toMatchObject({
        type: 'InvalidInput',
        nonRetryable: true,
        message: expect.stringMatching(
          new RegExp(`^an input from the server is refused: .*${field}`),
        ) as string,
      });
    }
  },
);

it('lets names through', async () => {
  const [openRun] = activities.filter(([name]) => name === 'openRun').map(([, each]) => each);
  const run = runActivity(openRun as (input: object) => Promise<unknown>, good);
  await expect(run).rejects.toThrow('port runFiles was used');
});
