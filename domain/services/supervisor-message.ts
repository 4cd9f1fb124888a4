import { z } from 'zod';
import { serviceAddressesSchema, serviceNameSchema } from './services-record.js';

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
