import { createHash } from 'node:crypto';
import type { ModelPort, ModelRequest } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { RunFilesPort } from '../../activities/ports/run-files.js';
import { billsSchema, noBills, worstCase, type Bills } from '../../domain/budget/bills.js';
import { sizeOf } from '../../domain/budget/call-size.js';
import { requestBody, requestPath } from '../../domain/models/apis/request-body.js';
import {
  failureName,
  waitingCallFile,
  waitingCallSchema,
  type BatchedCall,
  type WaitingCall,
} from '../../domain/runs/batches.js';
import { billsFile } from '../../domain/runs/run-manifest.js';
import type { EndpointKeys } from '../adapters/model-apis/endpoint.js';
import { askedOf, digestOf, exchanged, readBatched } from '../adapters/model-apis/model.js';

/**
 * The last link of a call in a batch, instead of the rate limit and the request: the answer of its batch. Without one, the
 * call is kept in the files of its run to be collected, and rejects with PortFailure (`ModelDeferred`). The run reserves what
 * it may cost.
 */
export const batching = (runFiles: RunFilesPort, keys: EndpointKeys): ModelPort => ({
  complete: async (request) => {
    const { run, batched: call } = request;
    if (run === undefined || call === undefined) throw new Error('a batch belongs to a run');
    const bills = (await runFiles.json(run, billsFile, billsSchema)) ?? noBills;
    const asked = waitingCallOf(request, call, bills);
    const answer =
      (await runFiles.batchedAnswer(run, call, asked.id)) ??
      (await runFiles.batchedAnswer(run, call, failureName(asked)));
    if (answer !== null) {
      const read = readBatched(answer, askedOf(keys, request));
      return { ...exchanged(read, asked.body, digestOf(answer.body)), batched: true };
    }
    const file = waitingCallFile(call);
    const known = await runFiles.json(run, file, waitingCallSchema);
    // Also of an earlier asking, if it is paid for.
    const isKnown =
      known?.id === asked.id && (known.batch !== null || known.asking === asked.asking);
    if (!isKnown) await runFiles.saveText(run, file, JSON.stringify(asked));
    const { need, batch } = isKnown ? known : asked;
    throw new PortFailure('ModelDeferred', 'its call is collected for a batch', {
      ...{ reason: 'batch', need },
      ...(batch !== null && { batch }),
    });
  },
});

function waitingCallOf(
  request: ModelRequest,
  { uuid, epoch, asking, call }: BatchedCall,
  bills: Bills,
): WaitingCall {
  const { api, baseUrl, model } = request;
  const size = sizeOf(request);
  const [path, body] = [requestPath(request), requestBody(request)];
  const hash = createHash('sha256').update(JSON.stringify([uuid, epoch, call, path, body]));
  return waitingCallSchema.parse({
    ...{ uuid, epoch, asking, size, body, failed: 0, batch: null },
    id: hash.digest('hex').slice(0, 32),
    need: worstCase(size, bills),
    address: { api, baseUrl, model, path },
  });
}
