import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inspectionSchema, type Inspection } from '../../domain/services.js';
import type { Environment } from '../../domain/settings.js';
import { childEnvironment, workerProgram } from './programs.js';

const run = promisify(execFile);

/** All that `turnwise doctor` reports, from a program of its own: the clients of Temporal and Milvus take long to load. */
export async function inspectAll(environment: Environment): Promise<Inspection> {
  const { stdout } = await run(process.execPath, [workerProgram('inspect')], {
    env: childEnvironment(environment),
  });
  return inspectionSchema.parse(JSON.parse(stdout));
}
