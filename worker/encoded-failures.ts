import { DefaultFailureConverter } from '@temporalio/common';

/** Of the activities of a worker that encrypts. The SDK loads it by the path of this file. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
