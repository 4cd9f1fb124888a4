import { fileURLToPath } from 'node:url';

/** Where the build leaves the bundled workflows. */
export const workflowBundlePath = fileURLToPath(new URL('../workflow-bundle.cjs', import.meta.url));
