import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';
import { encodesFailures } from '../domain/failure-type.js';

/** The bundled workflows, which the build makes. */
export const workflowBundlePath = fileURLToPath(new URL('../workflow-bundle.cjs', import.meta.url));

/** The workflows that a worker loads. Those of one that encrypts encode the words of their failures. */
export const workflowBundle = (encrypts: boolean): NonNullable<WorkerOptions['workflowBundle']> =>
  encrypts
    ? { code: `globalThis.${encodesFailures}=1;${readFileSync(workflowBundlePath, 'utf8')}` }
    : { codePath: workflowBundlePath };

/** Identifies a build of the workflows. It is short, since the history repeats it in every second event. */
export const workflowBuild = (): string =>
  `turnwise+${createHash('sha256').update(readFileSync(workflowBundlePath)).digest('hex').slice(0, 12)}`;
