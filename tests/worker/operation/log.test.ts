import { expect, it } from 'vitest';
import { z } from 'zod';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { activityFailure } from '../../../activities/failures.js';
import { jsonLine, WorkerLogger } from '../../../worker/operation/log.js';

const recordSchema = z.record(z.string(), z.unknown());

it('is one JSON object a record, with errors and large numbers in it', () => {
  const error = activityFailure(
    new PortFailure('ModelRejectedRequest', 'no such model', { cause: new Error('404') }),
  );
  const line = jsonLine(new Date(0), 'WARN', 'Activity failed', {
    ...{ run: 'first', question: 'q1', turn: 2, durationMs: 3n, error },
    taskToken: new Uint8Array(200),
  });
  expect(line.split('\n')).toHaveLength(2);
  expect(recordSchema.parse(JSON.parse(line))).toMatchObject({
    time: '1970-01-01T00:00:00.000Z',
    ...{ level: 'WARN', message: 'Activity failed', run: 'first', question: 'q1', turn: 2 },
    ...{ durationMs: '3' },
    error: { type: 'ModelRejectedRequest', message: 'no such model', cause: { message: '404' } },
  });
  expect(line).not.toContain('taskToken');
});

it('notes the executions of which something bad was reported, whatever level is shown', () => {
  const logger = new WorkerLogger({ TURNWISE_LOG: 'json', TURNWISE_LOG_LEVEL: 'ERROR' });
  logger.info('fine', { runId: 'a' });
  logger.warn('bad', { runId: 'b' });
  expect([...logger.suspects]).toEqual(['b']);
});
