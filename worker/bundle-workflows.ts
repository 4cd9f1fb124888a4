import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { workflowBundlePath } from './workflow-bundle.js';

const folder = fileURLToPath(new URL('../workflows/', import.meta.url));

/** A step of the build: workers load the finished bundle, instead of making one at each start. */
const { code } = await bundleWorkflowCode({
  workflowsPath: join(folder, 'index.js'),
  preloadModules: [join(folder, 'preloaded.js')],
  failureConverterPath: join(folder, 'failure-converter.js'),
  logger: {
    ...console,
    log: () => undefined,
    trace: () => undefined,
    debug: () => undefined,
    info: () => undefined,
  },
});
await writeFile(workflowBundlePath, code);
