import { DefaultFailureConverter } from '@temporalio/common';
import { encodesFailures } from '../domain/failure-type.js';

/** Makes payloads of the words of failures in workflows of a worker that encrypts. The SDK loads it by the path of this file. */
export const failureConverter = new DefaultFailureConverter({
  encodeCommonAttributes: encodesFailures in globalThis,
});
