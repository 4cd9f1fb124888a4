import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createActAndAsk } from '../../activities/act-and-ask.js';
import { questionInFolder } from '../support/question-in-folder.js';
import { runActivity } from '../support/run-activity.js';

const seen = { preview: '2 rows' };
const said = { kind: 'action', action: 'GenerateAnswer', preview: '2', brisk: true } as const;

describe('actAndAsk', () => {
  it('takes the action of a turn, then makes the call of the next', async () => {
    const { ref } = questionInFolder();
    const done: string[] = [];
    const actAndAsk = createActAndAsk(
      ({ turn }) => {
        done.push(`action of ${turn}`);
        return Promise.resolve(seen);
      },
      ({ turn }) => {
        done.push(`call of ${turn}`);
        return Promise.resolve(said);
      },
    );
    expect(await runActivity(actAndAsk, { ...ref, turn: 3 })).toEqual({ seen, said });
    expect(done).toEqual(['action of 3', 'call of 4']);
  });

  it('asks nothing after an action that failed', async () => {
    const { ref } = questionInFolder();
    const actAndAsk = createActAndAsk(
      () => Promise.reject(new Error('gone')),
      () => Promise.reject(new Error('asked')),
    );
    expect(await runActivity(actAndAsk, { ...ref, turn: 1 })).toBeNull();
  });

  it('gives up an action that takes long', async () => {
    const { ref } = questionInFolder();
    const actAndAsk = createActAndAsk(
      (_, giveUp) => once(giveUp, 'abort').then(() => Promise.reject(new Error('given up'))),
      () => Promise.reject(new Error('asked')),
      1,
    );
    expect(await runActivity(actAndAsk, { ...ref, turn: 1 })).toBeNull();
  });

  it('fails as its call does', async () => {
    const { ref } = questionInFolder();
    const actAndAsk = createActAndAsk(
      () => Promise.resolve(seen),
      () => Promise.reject(new Error('401')),
    );
    await expect(runActivity(actAndAsk, { ...ref, turn: 1 })).rejects.toThrow('401');
  });
});
