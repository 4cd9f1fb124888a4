import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { endFile } from '../../domain/runs/run-manifest.js';
import { progressQuery } from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
import { sampleKey } from '../support/runs/example-records.js';
import { startRunsUnderTest, type RunsUnderTest } from '../support/runs/runs-under-test.js';

// In a file of its own, since a run takes a minute until it searches for ends.

let runs: RunsUnderTest;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  return () => runs.stop();
});

describe('a question that is asked again', () => {
  it('is not ended by an end that the run has found of the asking before it', async () => {
    const run = runs.runOf(['a', 'b'], 2, ['a', 'b']);
    const isRetried = new Promise<void>((resolve, reject) =>
      runs.aroundNextSearch({
        // Which a run makes while nothing has ended for half a minute.
        before: async () => {
          run.release('a');
          const end = join(run.folder, endFile(sampleKey('a')));
          await eventually(() => Promise.resolve(existsSync(end) || null));
        },
        after: async () => {
          await eventually(async () => {
            const { summary } = await run.handle.query(progressQuery);
            return summary.ended === 1 || null;
          });
          run.hold('a');
          run.retry({ questions: [sampleKey('a')], anew: true }).then(() => resolve(), reject);
          // Until then a run that does not mind has asked the question again.
          await Promise.race([run.untilAsked('a', 2), delay(3000)]);
        },
      }),
    );
    const handle = await run.start();
    await isRetried;
    await run.untilAsked('a', 2);
    run.release('a', 'b');
    expect(await handle.result()).toMatchObject({ outcomes: { answered: 2 }, turns: 2 });
    expect(run.outcomes().toSorted()).toEqual(['a answered', 'b answered']);
    expect(run.asked().toSorted()).toEqual(['a', 'a', 'b']);
  }, 90_000);
});
