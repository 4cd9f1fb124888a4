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
