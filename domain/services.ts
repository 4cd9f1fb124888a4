import { z } from 'zod';

export const serviceNameSchema = z.enum(['temporal', 'milvus', 'worker']);
export type ServiceName = z.infer<typeof serviceNameSchema>;

/** A process that can be told from a later one with the same pid. */
export const recordedProcessSchema = z.object({
  pid: z.int().positive(),
  /** As the operating system words it: compared, never read as a time. */
  startTime: z.string().min(1),
  /** A part of its command line that a stranger's would not have. */
  commandMark: z.string().min(1),
});
export type RecordedProcess = Readonly<z.infer<typeof recordedProcessSchema>>;

export const recordedServiceSchema = recordedProcessSchema.extend({
  name: serviceNameSchema,
  logPath: z.string(),
});
export type RecordedService = Readonly<z.infer<typeof recordedServiceSchema>>;

/** Where a client finds the services. `uiAddress` is null when the Temporal server is not ours. */
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

/** `services.json` in TURNWISE_HOME: written by the supervisor, gone after an orderly stop. */
export const servicesRecordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('starting'), ...processes }),
  z.object({ kind: z.literal('ready'), ...processes, ...serviceAddressesSchema.shape }),
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
  /** Neither an address nor a running service of ours. */
  z.object({ kind: z.literal('not-running') }),
]);
export type Reach = Readonly<z.infer<typeof reachSchema>>;

/** Who serves this TURNWISE_HOME. `orphaned`: the next start ends what a dead supervisor left running. */
export const supervisionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('supervised'), record: servicesRecordSchema }),
  z.object({ kind: z.literal('orphaned'), names: z.array(z.string()).readonly() }),
]);
export type Supervision = Readonly<z.infer<typeof supervisionSchema>>;

/** What only a process beside the workers can see, for `turnwise doctor`. */
export const inspectionSchema = z.object({
  home: z.object({ path: z.string(), writable: z.boolean() }),
  python: foundSchema,
  go: foundSchema,
  temporalCli: foundSchema,
  milvusLite: foundSchema,
  supervision: supervisionSchema,
  temporal: reachSchema,
  milvus: reachSchema,
});
export type Inspection = Readonly<z.infer<typeof inspectionSchema>>;

/** What the supervisor of embedded services tells the command that started it. */
export const supervisorMessageSchema = z.discriminatedUnion('kind', [
  /** Progress in words: engines being fetched, services starting and stopping. */
  z.object({ kind: z.literal('step'), text: z.string() }),
  z.object({ kind: z.literal('ready'), ...serviceAddressesSchema.shape }),
  z.object({ kind: z.literal('restarted'), service: serviceNameSchema, reason: z.string() }),
  /** Another supervisor serves this TURNWISE_HOME; this one ends without having touched anything. */
  z.object({ kind: z.literal('occupied'), supervisorPid: z.int().positive() }),
  /** The supervisor stops what it had started and ends with `exitStatus`. */
  z.object({ kind: z.literal('failed'), message: z.string(), exitStatus: z.int() }),
]);
export type SupervisorMessage = Readonly<z.infer<typeof supervisorMessageSchema>>;

/** What a supervisor tells a worker process once the services it needs are there. */
export const workerServeSchema = z.object({ kind: z.literal('serve') });

/** What a worker process tells the supervisor once it polls for tasks. */
export const workerReadySchema = z.object({ kind: z.literal('ready') });

/**
 * Of Node for a worker. Most of what it makes lives for a turn or two: with the usual 16 MiB for what is new a tenth of its
 * time goes into moving that to where it is not collected soon (docs/decisions/0008).
 */
export const workerFlags: readonly string[] = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];
