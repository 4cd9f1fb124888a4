import { describe, expect, it } from 'vitest';
import {
  CallQueue,
  callsProgressSchema,
  noProgress,
  recordCall,
  recordFailure,
  type OpenCall,
} from '../../../domain/scoring/open-calls.js';
import { callOf, pictureCall } from '../../support/model-calls/call-sizes.js';

const call = (index: number, member: number): OpenCall => ({
  ...{ index, member, key: `${index} ${member}` },
  size: callOf(20),
});

/** Takes all that waits. */
function taken(queue: CallQueue): readonly string[] {
  const found: string[] = [];
  for (let next = queue.take(); next; next = queue.take())
    found.push(`${next.index} ${next.member}`);
  return found;
}

describe('the queue of calls', () => {
  it('hands out the calls of the first case first, whenever they were added', () => {
    const queue = new CallQueue();
    queue.add([call(1, 0), call(1, 1), call(2, 0)], []);
    queue.add([call(0, 4), call(0, 3)], []);
    expect(taken(queue)).toEqual(['0 4', '0 3', '1 0', '1 1', '2 0']);
  });

  it('holds no call twice, waiting or in flight', () => {
    const queue = new CallQueue();
    queue.add([call(0, 0), call(0, 1)], []);
    queue.add([call(0, 0)], []);
    const first = queue.take();
    queue.add([call(0, 0), call(0, 1)], []);
    expect(first).toEqual(call(0, 0));
    expect(taken(queue)).toEqual(['0 1']);
  });

  it('takes up a call again once it is settled, as after an unreadable reply', () => {
    const queue = new CallQueue();
    queue.add([call(0, 0)], []);
    queue.take();
    queue.settle(call(0, 0), [call(0, 0)], []);
    expect(taken(queue)).toEqual(['0 0']);
  });

  it('takes no call up again because another one, which ended later, knew it as open', () => {
    const queue = new CallQueue();
    queue.add([call(0, 0), call(0, 1)], []);
    queue.take();
    queue.take();
    queue.settle(call(0, 0), [call(0, 1), call(0, 2)], []);
    expect(taken(queue)).toEqual(['0 2']);
    queue.settle(call(0, 2), [], []);
    queue.settle(call(0, 1), [call(0, 2)], []);
    expect(queue.isEmpty).toBe(true);
  });

  it('leaves out members whose calls have failed', () => {
    const queue = new CallQueue();
    queue.add([call(0, 0), call(0, 1)], [{ index: 0, member: 0, message: 'HTTP 503' }]);
    expect(taken(queue)).toEqual(['0 1']);
  });

  it('knows the first case that is not settled, from which a new history goes on', () => {
    const queue = new CallQueue();
    expect([queue.firstCase, queue.isEmpty]).toEqual([Infinity, true]);
    queue.add([call(7, 0), call(9, 0)], []);
    queue.take();
    expect([queue.firstCase, queue.isEmpty, queue.waiting]).toEqual([7, false, 1]);
    queue.settle(call(7, 0), [], []);
    expect(queue.firstCase).toBe(9);
  });
});

describe('the progress of a job', () => {
  it('counts calls and failures with what they have cost, and crosses JSON', () => {
    const cent = { usd: 0.01, tokens: 10 };
    const failure = { index: 3, member: 1, message: 'HTTP 503' };
    const made = recordCall(
      { ...noProgress, spent: cent },
      { index: 2, member: 0, key: 'a picture', size: pictureCall() },
      { spent: cent, billed: 25 },
    );
    const progress = recordFailure(made, call(3, 1), 'ModelUnavailable', 'HTTP 503');
    expect(progress).toEqual({
      next: 0,
      calls: 1,
      spent: { usd: 0.02, tokens: 40 },
      bills: { 'pictures a model': { lowest: 2.5, highest: 2.5 } },
      failures: [failure],
      parked: null,
    });
    expect(callsProgressSchema.parse(JSON.parse(JSON.stringify(progress)))).toEqual(progress);
  });

  it.each(['ModelUnknown', 'ModelRejectedRequest', 'ModelRateLimited', 'ModelRefusedKey'] as const)(
    'pays nothing for a call that ended as %s',
    (failed) => {
      expect(recordFailure(noProgress, call(0, 0), failed, 'HTTP 4xx').spent).toEqual(
        noProgress.spent,
      );
      const unknown = recordFailure(noProgress, call(0, 0), 'Unknown', 'lost');
      expect(unknown.spent.tokens).toBeGreaterThan(0);
    },
  );
});
