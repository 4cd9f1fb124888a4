import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { runOnMachines } from '../../bench/chaos/machines/machines-run.js';

it('x', async () => {
  const result = await runOnMachines(
    {
      seed: 3,
      questions: 12,
      turns: 4,
      inFlight: 4,
      model: { latencyMs: 1000, jitter: 0.5 },
      outages: { objectsSeconds: 2, milvusSeconds: 2, keySeconds: 2 },
    },
    mkdtempSync(join(tmpdir(), 'm-')),
    (step) => console.log(new Date().toISOString(), step),
  );
  console.log({ ...result, stats: { ...result.stats, perQuestion: undefined } });
});
