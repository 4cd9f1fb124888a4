import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  inspectionSchema,
  supervisionSchema,
  type Inspection,
  type Supervision,
} from '../../domain/services.js';
import type { Environment } from '../../domain/settings.js';
import { childEnvironment, workerProgram } from './programs.js';

const run = promisify(execFile);

/** Who serves this TURNWISE_HOME at this moment. */
export async function inspectSupervision(environment: Environment): Promise<Supervision> {
  return supervisionSchema.parse(await ask(environment, ['services']));
}

export async function inspectAll(environment: Environment): Promise<Inspection> {
  return inspectionSchema.parse(await ask(environment, []));
}

async function ask(environment: Environment, args: readonly string[]): Promise<unknown> {
  const { stdout } = await run(process.execPath, [workerProgram('inspect'), ...args], {
    env: childEnvironment(environment),
  });
  return JSON.parse(stdout);
}
