import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The bundled workflows, which the build makes. */
export const workflowBundlePath = fileURLToPath(new URL('../workflow-bundle.cjs', import.meta.url));

/** Identifies a build of the workflows. It is short, since the history repeats it in every second event. */
export const workflowBuild = (): string =>
  `turnwise+${createHash('sha256').update(readFileSync(workflowBundlePath)).digest('hex').slice(0, 12)}`;
