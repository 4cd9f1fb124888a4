import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the build leaves the bundled workflows. */
export const workflowBundlePath = fileURLToPath(new URL('../workflow-bundle.cjs', import.meta.url));

/** Tells builds of the workflows apart. It stands in every second event of a history, where the SDK's own has 90 characters. */
export const workflowBuild = (): string =>
  `turnwise+${createHash('sha256').update(readFileSync(workflowBundlePath)).digest('hex').slice(0, 12)}`;
