import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { timeLimit } from '../../../worker/adapters/time-limit.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('ends a time that is one of several signals, also after garbage was collected', async () => {
  const either = AbortSignal.any([new AbortController().signal, timeLimit(50)]);
  const aborted = once(either, 'abort');
  collectGarbage();
  // Without a handle of its own, as that of a connection, the process would not wait for it.
  const open = setInterval(() => undefined, 1000);
  await aborted;
  clearInterval(open);
  expect(either.reason).toMatchObject({ name: 'TimeoutError' });
});
