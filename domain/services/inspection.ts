import { z } from 'zod';
import { servicesRecordSchema } from './services-record.js';

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
