import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineSearchAttributeKey } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { searchAttributes } from '../../domain/ids.js';
import { environmentSchema, setVariables } from '../../domain/settings.js';
import { temporalCandidatesOf } from '../../worker/embedded/engines.js';
import { findTemporalCli } from '../../worker/embedded/temporal-cli.js';

const logger = new DefaultLogger('ERROR');
Runtime.install({
  logger,
  telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
});

const workflows = fileURLToPath(new URL('../../workflows/', import.meta.url));

/** In the folder that all files of one run of tests share. What watches has sources that change. */
const bundleFile = join(tmpdir(), 'workflow-bundle.json');
const isOneRun = process.env['VITEST_MODE'] === 'RUN';

/** The workflows as they stand in the source, bundled once in a run of tests; or others. */
export async function bundleWorkflows(path?: string): Promise<WorkflowBundleWithSourceMap> {
  const isShared = isOneRun && path === undefined;
  if (isShared && existsSync(bundleFile))
    return JSON.parse(readFileSync(bundleFile, 'utf8')) as WorkflowBundleWithSourceMap;
  const bundle = await bundleWorkflowCode({
    workflowsPath: path ?? join(workflows, 'index.ts'),
    preloadModules: [join(workflows, 'preloaded.ts')],
    logger,
  });
  if (isShared) {
    const own = `${bundleFile}.${process.pid}`;
    writeFileSync(own, JSON.stringify(bundle));
    renameSync(own, bundleFile);
  }
  return bundle;
}

/** As the embedded server has them: without them every step waits up to 50 ms. */
const quick = [
  'history.transferProcessorMaxPollRPS=2000',
  'system.enableActivityEagerExecution=true',
];

/**
 * A development server of the test's own, without a file.
 * @param dynamicConfig - settings of the server, as `key=value`.
 */
export async function startTemporal(
  ...dynamicConfig: readonly string[]
): Promise<TestWorkflowEnvironment> {
  const path = await temporalCli();
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      ip: '127.0.0.1',
      searchAttributes: Object.values(searchAttributes).map((name) =>
        defineSearchAttributeKey(name, 'KEYWORD'),
      ),
      extraArgs: [...quick, ...dynamicConfig].flatMap((setting) => [
        '--dynamic-config-value',
        setting,
      ]),
    },
  });
}

/** Path of Temporal's command line. */
export async function temporalCli(): Promise<string> {
  const environment = environmentSchema.parse(setVariables(process.env));
  const cli = await findTemporalCli(temporalCandidatesOf(environment), AbortSignal.timeout(30_000));
  const path = cli?.source === 'on-path' ? onPath('temporal') : cli?.path;
  if (!path) throw new Error('There is no Temporal command line here; `npm test` fetches one.');
  return path;
}

/** The SDK takes no bare names. */
function onPath(program: string): string | undefined {
  const folders = process.env['PATH']?.split(delimiter) ?? [];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
