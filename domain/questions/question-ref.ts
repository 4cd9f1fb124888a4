import { z } from 'zod';
import { runIdSchema, sampleKeySchema } from '../ids.js';

/** A question of a run, and one turn of it: all that activities are told; texts are in the run's files. */
export const questionRefSchema = sampleKeySchema.extend({ run: runIdSchema });
export type QuestionRef = Readonly<z.infer<typeof questionRefSchema>>;

export const turnRefSchema = questionRefSchema.extend({ turn: z.int().min(1) });
export type TurnRef = Readonly<z.infer<typeof turnRefSchema>>;
