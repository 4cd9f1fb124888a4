import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { counted, grouped, sizeText, duration } from '../../domain/formats/text.js';
import {
  apiFacts,
  type ModelApi,
  type AskedEndpoints,
  type ModelEndpoint,
} from '../../domain/model-api.js';
import {
  inspectionSchema,
  type Found,
  type Inspection,
  type Reach,
  type NamespaceState,
  type ServerTrouble,
  type TemporalState,
} from '../../domain/services.js';
import type { Environment } from '../../domain/settings.js';
import { isGivenUp, stuckText } from '../../domain/stuck-workflow.js';
import { exitStatus } from '../../domain/user-error.js';
import { attributeCreation, otherTypeTrouble } from '../../temporal/namespace.js';
import { childEnvironment, workerProgram } from './programs.js';

export interface Facts {
  readonly nodeVersion: string;
  readonly platform: NodeJS.Platform;
  readonly inspection: Inspection;
}

/** What is well, what is not, and what to do about it. */
export function diagnose({ nodeVersion, platform, inspection }: Facts): readonly Check[] {
  return [
    nodeCheck(nodeVersion),
    platformCheck(platform),
    homeCheck(inspection),
    identityCheck(inspection),
    ...temporalChecks(inspection),
    ...databaseChecks(inspection),
    ...milvusChecks(inspection),
    supervisionCheck(inspection),
    ...stuckChecks(inspection),
    ...inspection.models.endpoints.map((model) => modelCheck(model, inspection.models.askedBy)),
  ];
}

/** 0 when there is no problem, else the gravest status of one. */
export function diagnosisStatus(checks: readonly Check[]): 0 | 2 | 3 {
  const statuses = checks.flatMap((check) => (check.kind === 'problem' ? [check.status] : []));
  if (statuses.includes(exitStatus.badInput)) return exitStatus.badInput;
  return statuses.length > 0 ? exitStatus.serviceUnreachable : exitStatus.done;
}

const nodeFloor = [20, 19] as const;

function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const recent = major > nodeFloor[0] || (major === nodeFloor[0] && minor >= nodeFloor[1]);
  return recent
    ? ok('Node', version)
    : problem(2, 'Node', version, `Install Node ${nodeFloor.join('.')} or later.`);
}

const platformCheck = (platform: NodeJS.Platform): Check =>
  platform === 'linux' || platform === 'darwin'
    ? ok('Platform', platform)
    : problem(2, 'Platform', platform, 'Use Linux, macOS, or WSL on Windows.');

const homeCheck = ({ home }: Inspection): Check =>
  home.writable
    ? ok('TURNWISE_HOME', home.path)
    : problem(
        2,
        'TURNWISE_HOME',
        `${home.path} cannot be written to`,
        'Make it writable, or set TURNWISE_HOME to a folder that is.',
      );

/** Which home it is, and whether anybody works for it. */
function identityCheck({ identity }: Inspection): Check {
  const name = 'Home';
  switch (identity.kind) {
    case 'new':
      return ok(name, 'has no id yet; the first command that needs one makes it');
    case 'unreadable':
      return problem(2, name, identity.reason, 'Check TURNWISE_HOME and TURNWISE_STORAGE.');
    case 'known': {
      const { id, queue, workers } = identity;
      if (workers === null) return ok(name, `${id}; its workers poll ${queue}`);
      if (workers > 0) return ok(name, `${id}; ${counted(workers, 'worker')} on ${queue}`);
      return note(
        name,
        `${id}; no worker polls ${queue}`,
        'Start one with the same TURNWISE_HOME and TURNWISE_STORAGE (`turnwise worker`, or `turnwise up`): workers of another home do not poll this queue.',
      );
    }
  }
}

function temporalChecks({ temporal, temporalCli, go }: Inspection): readonly Check[] {
  const name = 'Temporal';
  if (temporal.kind !== 'not-running') return serverChecks(temporal);
  if (temporalCli.kind === 'found') return [ok(name, startable(temporalCli))];
  const means = go.kind === 'found' ? `downloaded, or built with Go ${go.version},` : 'downloaded';
  return [
    note(
      name,
      'not fetched yet',
      `It will be ${means} at the first start. Without a network, install the Temporal command line ` +
        'and set TURNWISE_TEMPORAL_CLI to it.',
    ),
  ];
}

/** How much the embedded Temporal server has on the disk. */
function databaseChecks({ database }: Inspection): readonly Check[] {
  if (database === null) return [];
  const { path, bytes, freeBytes, histories, historyDays } = database;
  const detail = [
    `${sizeText(bytes)} at ${path}`,
    ...(freeBytes > 0 ? [`${sizeText(freeBytes)} of it free`] : []),
    ...(histories === null ? [] : [`${grouped(histories)} histories`]),
    `ended ones are kept for ${counted(historyDays, 'day')}`,
  ];
  return [ok('Histories', detail.join(', '))];
}

/** Whether a server of the user's is set, so that commands start nothing. */
const hasOwnServer = ({ temporal, supervision }: Inspection): boolean =>
  temporal.kind !== 'not-running' && supervision.kind === 'none';

function milvusChecks(inspection: Inspection): readonly Check[] {
  const { milvus, milvusLite, python } = inspection;
  const name = 'Milvus';
  if (milvus.kind === 'reached') return [ok(name, reached(milvus))];
  if (milvus.kind === 'unreachable') return [unreachable(name, milvus, 'MILVUS_ADDRESS')];
  if (hasOwnServer(inspection)) {
    const remedy =
      'Set MILVUS_ADDRESS for questions over papers: with TEMPORAL_ADDRESS set, no command starts Milvus.';
    return [note(name, 'none: questions over databases need none', remedy)];
  }
  if (milvusLite.kind === 'found') return [ok(name, startable(milvusLite))];
  if (python.kind === 'found') {
    return [
      note(
        name,
        'not installed yet',
        `Milvus Lite will be installed for Python ${python.version} at the first start.`,
      ),
    ];
  }
  const remedy = 'Install Python 3.10 or later, or set MILVUS_ADDRESS to a Milvus that runs.';
  return [problem(3, name, 'Milvus Lite needs Python 3.10 or later, and there is none', remedy)];
}

function supervisionCheck(inspection: Inspection): Check {
  const { supervision } = inspection;
  const name = 'Services';
  if (hasOwnServer(inspection)) return ok(name, 'with TEMPORAL_ADDRESS set, commands start none');
  switch (supervision.kind) {
    case 'none':
      return ok(name, 'none of ours is running; a command that needs them starts them');
    case 'supervised':
      return ok(
        name,
        `${supervision.record.kind}, under process ${supervision.record.supervisor.pid}`,
      );
    case 'orphaned':
      return note(
        name,
        `${supervision.names.join(', ')} left running by a supervisor that died`,
        'Nothing to do: the next start stops them.',
      );
  }
}

/** What is open and cannot go on, with its cause. */
const stuckChecks = ({ stuck }: Inspection): readonly Check[] =>
  (stuck ?? []).map((each) => {
    const [, ...id] = each.workflowId.split('/');
    const remedy = isGivenUp(each)
      ? 'Start workers of a version that is mended, or of the one before.'
      : 'Nothing to do while a worker runs: it starts it again.';
    return note('Workflow', `${id.join('/')}: ${stuckText(each)}`, remedy);
  });

const checkNames: Readonly<Record<ModelApi, string>> = {
  chat: 'Model',
  responses: 'Model',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

/** Gemini answers 400 to a wrong key. */
const isGeminiRefusal = (api: ModelApi, httpStatus: number): boolean =>
  api === 'gemini' && httpStatus === 400;

function modelCheck(model: ModelEndpoint, askedBy: AskedEndpoints['askedBy']): Check {
  const { addressVariable } = apiFacts[model.api];
  const name = checkNames[model.api];
  const ofWorker = askedBy === 'worker' ? ' of the worker' : '';
  switch (model.kind) {
    case 'unset':
      return note(
        name,
        ofWorker === '' ? 'no endpoint is configured' : 'the worker has no endpoint configured',
        'Set OPENAI_API_KEY, and OPENAI_BASE_URL for any other provider than OpenAI; ANTHROPIC_API_KEY or GEMINI_API_KEY for their own APIs.',
      );
    case 'unreachable':
      return problem(
        3,
        name,
        `${model.url} cannot be reached (${model.reason})`,
        `Check ${addressVariable}${ofWorker} and the network.`,
      );
    case 'answered':
      return answeredCheck(name, model, ofWorker);
  }
}

function answeredCheck(
  name: string,
  { api, url, httpStatus }: Extract<ModelEndpoint, { kind: 'answered' }>,
  ofWorker: string,
): Check {
  if (httpStatus === 401 || httpStatus === 403 || isGeminiRefusal(api, httpStatus)) {
    const remedy = `Check ${apiFacts[api].keyVariable}${ofWorker}.`;
    return problem(2, name, `${url} refuses the key${ofWorker} (HTTP ${httpStatus})`, remedy);
  }
  if (httpStatus >= 500) {
    const remedy = 'Try again later: the provider is unwell.';
    return problem(3, name, `${url} answers HTTP ${httpStatus}`, remedy);
  }
  // Some providers serve chat completions and no list of models: any other answer shows that somebody is there.
  const whom = ofWorker === '' ? '' : ' the worker';
  return ok(name, `${url} answers${whom} (HTTP ${httpStatus})`);
}

const reached = ({ address, version }: Extract<Reach, { kind: 'reached' }>): string =>
  `${address}, version ${version}`;

const startable = ({ where, version }: Extract<Found, { kind: 'found' }>): string =>
  `${version}, ready to start (${where})`;

const unreachable = (
  name: string,
  { address, reason }: Extract<Reach, { kind: 'unreachable' }>,
  variable: string,
): Check =>
  problem(
    3,
    name,
    `${address} does not answer (${reason})`,
    `Start the server there, or correct ${variable}; unset it to use an embedded one.`,
  );

/** Looks at everything turnwise depends on, and changes nothing. */
export async function examine(environment: Environment): Promise<readonly Check[]> {
  const inspection = await inspectAll(environment);
  const { platform } = process;
  return diagnose({ nodeVersion: process.versions.node, platform, inspection });
}

const marks: Readonly<Record<Check['kind'], string>> = { ok: '✓', note: '·', problem: '✗' };

/** One line a check, the remedy under what needs one. */
export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap((check) => [
      `${marks[check.kind]} ${check.name.padEnd(width)}  ${check.detail}`,
      ...(check.kind === 'ok' ? [] : [`${' '.repeat(width + 4)}→ ${check.remedy}`]),
    ])
    .join('\n');
}

const run = promisify(execFile);

/** All that `turnwise doctor` reports, from a program of its own: the clients of Temporal and Milvus take long to load. */
async function inspectAll(environment: Environment): Promise<Inspection> {
  const { stdout } = await run(process.execPath, [workerProgram('inspect')], {
    env: childEnvironment(environment),
  });
  return inspectionSchema.parse(JSON.parse(stdout));
}

/** What the doctor says of a server that is named or runs. */
function serverChecks(state: Exclude<TemporalState, { kind: 'not-running' }>): readonly Check[] {
  const name = 'Temporal';
  if (state.kind === 'trouble') return [troubled(name, state.trouble)];
  const { address, version, namespace } = state;
  return [ok(name, `${address}, version ${version}`), namespaceCheck(namespace)];
}

function namespaceCheck(state: NamespaceState): Check {
  const title = 'Namespace';
  if (state.kind === 'trouble') return troubled(title, state.trouble);
  const { name, retentionMs, attributes } = state;
  const detail =
    retentionMs === null
      ? name
      : `${name}; keeps histories for ${retention(retentionMs)} after their end`;
  if (attributes.kind === 'hidden') {
    return note(
      title,
      `${detail}; does not list its search attributes`,
      `A run that cannot start for lack of them needs \`${attributeCreation(name)}\`.`,
    );
  }
  const { missing, otherType } = attributes;
  if (otherType.length > 0) return troubled(title, otherTypeTrouble(name, otherType));
  if (missing.length === 0) return ok(title, detail);
  return note(
    title,
    `${detail}; lacks search attributes`,
    `A worker creates them when it starts. Where it may not: \`${attributeCreation(name, missing)}\`.`,
  );
}

const dayMs = 86_400_000;

const retention = (ms: number): string =>
  ms % dayMs === 0 ? counted(ms / dayMs, 'day') : duration(ms);

const troubled = (name: string, { what, remedy, status }: ServerTrouble): Check =>
  problem(status, name, capital(what), `${capital(remedy)}.`);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface Looked {
  readonly name: string;
  readonly detail: string;
}

interface Mended extends Looked {
  readonly remedy: string;
}

/** One thing the doctor looked at. A `note` is worth knowing and stops nothing. */
export type Check =
  | (Looked & { readonly kind: 'ok' })
  | (Mended & { readonly kind: 'note' })
  /** 2: settings or files are at fault. 3: a service cannot be reached. */
  | (Mended & { readonly kind: 'problem'; readonly status: 2 | 3 });

const ok = (name: string, detail: string): Check => ({ kind: 'ok', name, detail });

const note = (name: string, detail: string, remedy: string): Check => ({
  kind: 'note',
  name,
  detail,
  remedy,
});

const problem = (status: 2 | 3, name: string, detail: string, remedy: string): Check => ({
  kind: 'problem',
  name,
  detail,
  remedy,
  status,
});
