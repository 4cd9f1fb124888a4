import { spawn, type ChildProcess } from 'node:child_process';
import { workerProgram } from '../client/services/programs.js';

/** `turnwise worker` without the process around it, so that one kill is enough. */
export const bareWorker = (
  home: string,
  addresses: { readonly temporalAddress: string; readonly milvusAddress: string },
  settings: Readonly<Record<string, string>> = {},
): ChildProcess =>
  spawn(process.execPath, [workerProgram('worker')], {
    env: {
      ...process.env,
      ...settings,
      TURNWISE_HOME: home,
      TEMPORAL_ADDRESS: addresses.temporalAddress,
      MILVUS_ADDRESS: addresses.milvusAddress,
    },
    stdio: 'ignore',
  });
