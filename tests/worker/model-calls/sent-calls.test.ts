import { describe, expect, it } from 'vitest';
import type { CallStage, ModelReply, ModelRequest } from '../../../activities/ports/model.js';
import { countSentCalls } from '../../../worker/model-calls/sent-calls.js';

/** A call whose stages and end are set from outside. */
function callThrough(stopping: AbortController) {
  const sentCalls = countSentCalls(stopping.signal);
  let answer: (reply: ModelReply) => void = () => undefined;
  const promise = new Promise<ModelReply>((resolve) => {
    answer = resolve;
  });
  let report: ((stage: CallStage) => void) | undefined;
  const port = sentCalls.link({
    complete: (_request, signal, given) => {
      report = given;
      const left = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      return Promise.race([promise, left]);
    },
  });
  const reply = port.complete({} as ModelRequest, new AbortController().signal);
  reply.catch(() => undefined);
  return { sentCalls, reply, stage: (now: CallStage) => report?.(now), answer };
}

describe('a worker that stops', () => {
  it('waits for a call that is sent', async () => {
    const stopping = new AbortController();
    const { sentCalls, reply, stage, answer } = callThrough(stopping);
    stage('waits for its turn');
    expect(sentCalls.count()).toBe(0);
    stage('calls the model');
    stopping.abort();
    expect(sentCalls.count()).toBe(1);
    const given = { content: 'yes' } as ModelReply;
    answer(given);
    expect(await reply).toBe(given);
    expect(sentCalls.count()).toBe(0);
  });

  it('defers a call that waits, also one that would wait again', async () => {
    const deferred = { type: 'ModelDeferred', options: { reason: 'rate-limit' } };
    const stopping = new AbortController();
    const waiting = callThrough(stopping);
    waiting.stage('waits for the budget');
    const refused = callThrough(stopping);
    refused.stage('calls the model');
    stopping.abort();
    await expect(waiting.reply).rejects.toMatchObject(deferred);
    refused.stage('waits for its turn');
    await expect(refused.reply).rejects.toMatchObject(deferred);
    expect(refused.sentCalls.count()).toBe(0);
  });

  it('is told no warning, however many calls are open', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const stopping = new AbortController();
    const { link } = countSentCalls(stopping.signal);
    const port = link({ complete: () => new Promise<never>(() => undefined) });
    for (let call = 0; call < 20; call += 1)
      void port.complete({} as ModelRequest, new AbortController().signal);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('begins no call any more', async () => {
    const stopping = new AbortController();
    stopping.abort();
    await expect(callThrough(stopping).reply).rejects.toMatchObject({ type: 'ModelDeferred' });
  });
});
