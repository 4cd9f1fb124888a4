import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../domain/rate-limits/rate-limiter.js';

const call = (run: string, name: string) => ({ run, name });

function drain(queue: FairQueue<ReturnType<typeof call>>): readonly string[] {
  const names: string[] = [];
  for (let { first } = queue; first; first = queue.first) {
    names.push(first.name);
    queue.take(first);
  }
  return names;
}

describe('FairQueue', () => {
  it('serves runs in turn, and the calls of each in order', () => {
    const queue = new FairQueue<ReturnType<typeof call>>();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(call(name[0] ?? '', name));
    expect(queue.size).toBe(6);
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect([queue.size, queue.first]).toEqual([0, undefined]);
  });

  it('lets a call that had its turn wait before all others of its run, and no other', () => {
    const queue = new FairQueue<ReturnType<typeof call>>();
    for (const name of ['a1', 'a2', 'b1']) queue.add(call(name[0] ?? '', name));
    queue.take(call('a', 'a1'));
    queue.addFirst(call('a', 'a1 again'));
    expect(drain(queue)).toEqual(['b1', 'a1 again', 'a2']);
  });

  it('forgets a call, and a run with its last one', () => {
    const queue = new FairQueue<ReturnType<typeof call>>();
    const only = call('b', 'b1');
    for (const one of [call('a', 'a1'), only, call('a', 'a2')]) queue.add(one);
    queue.remove(only);
    queue.remove(only);
    expect(queue.all.map(({ name }) => name)).toEqual(['a1', 'a2']);
    expect(drain(queue)).toEqual(['a1', 'a2']);
  });
});
