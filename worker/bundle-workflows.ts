import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { workflowBundlePath } from './workflow-bundle.js';

/** A step of the build: workers start from the finished bundle instead of making it each time. */
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../workflows/index.js', import.meta.url)),
  logger: {
    ...console,
    log: () => undefined,
    trace: () => undefined,
    debug: () => undefined,
    info: () => undefined,
  },
});
await writeFile(workflowBundlePath, code);
