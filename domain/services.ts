import { z } from 'zod';
import { homeIdSchema } from './home.js';
import { modelEndpointsSchema } from './model-api.js';
import { stuckWorkflowSchema } from './stuck-workflow.js';

export const serviceNameSchema = z.enum(['temporal', 'milvus', 'worker']);
export type ServiceName = z.infer<typeof serviceNameSchema>;

/** Identifies a process, also after its pid has been used again. */
export const recordedProcessSchema = z.object({
  pid: z.int().positive(),
  /** In the operating system's format. Only compared, never parsed. */
  startTime: z.string().min(1),
  /** A part of its command line that no other program has. */
  commandMark: z.string().min(1),
});
export type RecordedProcess = Readonly<z.infer<typeof recordedProcessSchema>>;

const recordedServiceSchema = recordedProcessSchema.extend({
  name: serviceNameSchema,
  logPath: z.string(),
});
export type RecordedService = Readonly<z.infer<typeof recordedServiceSchema>>;

/** `uiAddress` is null if the Temporal server is not an embedded one. */
export const serviceAddressesSchema = z.object({
  temporalAddress: z.string(),
  uiAddress: z.string().nullable(),
  milvusAddress: z.string(),
});
export type ServiceAddresses = Readonly<z.infer<typeof serviceAddressesSchema>>;

const processes = {
  supervisor: recordedProcessSchema,
  services: z.array(recordedServiceSchema).readonly(),
};

/** `services.json` in TURNWISE_HOME. The supervisor writes it, and removes it when it stops. */
export const servicesRecordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('starting'), ...processes }),
  z.object({
    kind: z.literal('ready'),
    ...processes,
    ...serviceAddressesSchema.shape,
    /** What the worker's runs are kept in (`storageOf`). */
    storage: z.string(),
  }),
  z.object({ kind: z.literal('stopping'), ...processes }),
]);
export type ServicesRecord = Readonly<z.infer<typeof servicesRecordSchema>>;

const foundSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('found'), where: z.string(), version: z.string() }),
  z.object({ kind: z.literal('missing') }),
]);
export type Found = Readonly<z.infer<typeof foundSchema>>;

const reachSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reached'), address: z.string(), version: z.string() }),
  z.object({ kind: z.literal('unreachable'), address: z.string(), reason: z.string() }),
  /** No address is set, and no embedded service runs. */
  z.object({ kind: z.literal('not-running') }),
]);
export type Reach = Readonly<z.infer<typeof reachSchema>>;

/** Why a Temporal server, or a namespace of it, cannot be used. Both texts begin in lower case. */
const serverTroubleSchema = z.object({
  what: z.string(),
  remedy: z.string(),
  /** 2: a setting is at fault. 3: the server cannot be reached. */
  status: z.union([z.literal(2), z.literal(3)]),
});
export type ServerTrouble = Readonly<z.infer<typeof serverTroubleSchema>>;

/** The namespace that runs are in. */
const namespaceStateSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('found'),
    name: z.string(),
    /** How long histories are kept after their end; null where the server does not say. */
    retentionMs: z.number().nullable(),
    attributes: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('listed'),
        missing: z.array(z.string()).readonly(),
        otherType: z.array(z.string()).readonly(),
      }),
      /** The server does not list its search attributes to this key. */
      z.object({ kind: z.literal('hidden') }),
    ]),
  }),
  z.object({ kind: z.literal('trouble'), trouble: serverTroubleSchema }),
]);
export type NamespaceState = Readonly<z.infer<typeof namespaceStateSchema>>;

/** The Temporal server that a command uses, as `doctor` finds it. */
const temporalStateSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('reached'),
    address: z.string(),
    version: z.string(),
    namespace: namespaceStateSchema,
  }),
  z.object({ kind: z.literal('trouble'), trouble: serverTroubleSchema }),
  /** No server is named, and no embedded one runs. */
  z.object({ kind: z.literal('not-running') }),
]);
export type TemporalState = Readonly<z.infer<typeof temporalStateSchema>>;

/** The supervisor of this TURNWISE_HOME. `orphaned`: it died, and the next start ends the services that still run. */
const supervisionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('supervised'), record: servicesRecordSchema }),
  z.object({ kind: z.literal('orphaned'), names: z.array(z.string()).readonly() }),
]);
export type Supervision = Readonly<z.infer<typeof supervisionSchema>>;

/** The home that runs are kept in. `workers`: how many poll its task queue; null where no server can be asked. */
const homeStateSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('new') }),
  z.object({
    kind: z.literal('known'),
    id: homeIdSchema,
    queue: z.string(),
    workers: z.int().nullable(),
  }),
  z.object({ kind: z.literal('unreadable'), reason: z.string() }),
]);
export type HomeState = Readonly<z.infer<typeof homeStateSchema>>;

/** The database of the embedded Temporal server. */
const databaseStateSchema = z.object({
  path: z.string(),
  bytes: z.int(),
  /** Of these, what new histories can use. */
  freeBytes: z.int(),
  /** Null while the server does not run. */
  histories: z.int().nullable(),
  /** How long those of workflows that have closed are kept. */
  historyDays: z.int(),
});

/** What `turnwise doctor` finds. */
export const inspectionSchema = z.object({
  home: z.object({ path: z.string(), writable: z.boolean() }),
  identity: homeStateSchema,
  python: foundSchema,
  go: foundSchema,
  temporalCli: foundSchema,
  milvusLite: foundSchema,
  supervision: supervisionSchema,
  temporal: temporalStateSchema,
  milvus: reachSchema,
  database: databaseStateSchema.nullable(),
  models: modelEndpointsSchema,
  /** The workflows of the home that no worker can go on with; null where no server can be asked. */
  stuck: z.array(stuckWorkflowSchema).readonly().nullable(),
});
export type Inspection = Readonly<z.infer<typeof inspectionSchema>>;

/** The messages of the supervisor of embedded services to the command that started it. */
export const supervisorMessageSchema = z.discriminatedUnion('kind', [
  /** A progress text: downloads, and services that start or stop. */
  z.object({ kind: z.literal('step'), text: z.string() }),
  z.object({ kind: z.literal('ready'), ...serviceAddressesSchema.shape }),
  z.object({ kind: z.literal('restarted'), service: serviceNameSchema, reason: z.string() }),
  /** Another supervisor serves this TURNWISE_HOME. This one ends without any change. */
  z.object({ kind: z.literal('occupied'), supervisorPid: z.int().positive() }),
  /** The supervisor stops the services that it started, and ends with `exitStatus`. */
  z.object({ kind: z.literal('failed'), message: z.string(), exitStatus: z.int() }),
]);
export type SupervisorMessage = Readonly<z.infer<typeof supervisorMessageSchema>>;

/** Sent by the supervisor to a worker process once the services are ready. */
export const workerServeSchema = z.object({
  kind: z.literal('serve'),
  /** `named`: the worker reads from its environment how the server is spoken to. */
  temporal: z.enum(['embedded', 'named']),
});

/** Sent by a worker process to the supervisor once it polls for tasks. */
export const workerReadySchema = z.object({ kind: z.literal('ready') });

/**
 * Node's flags for a worker. Most objects of a worker live for a turn or two. With the default young generation of 16 MiB,
 * V8 spends a tenth of the worker's time on their promotion to the old generation (docs/explanation/decisions/0008).
 */
export const workerFlags: readonly string[] = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];
