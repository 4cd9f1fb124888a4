import { storeOf } from '../../../domain/agent/question-context.js';
import { describe, expect, it } from 'vitest';
import { overSameStore } from '../../../activities/questions/same-store.js';
import { runActivity } from '../../support/run-activity.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

describe('overSameStore', () => {
  const { manifest, runFiles } = runInFolder([{ uuid: 'q1', question: 'Why?' }]);
  const activity = (fingerprint: string) =>
    overSameStore(
      { runFiles, stores: { holds: (_, asked) => Promise.resolve(asked === fingerprint) } },
      () => Promise.resolve('done'),
    );

  it('does what is to be done where the store is what the run began with', async () => {
    expect(await runActivity(activity(storeOf(manifest).fingerprint), manifest)).toBe('done');
  });

  it('ends what would be answered over two stores, for good', async () => {
    await expect(runActivity(activity('another'), manifest)).rejects.toMatchObject({
      type: 'StoreChanged',
      nonRetryable: true,
      message: expect.stringContaining('--fork') as unknown,
    });
  });
});
