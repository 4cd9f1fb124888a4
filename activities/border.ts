import { z } from 'zod';
import { enrichmentIdSchema } from '../domain/enrichment/job.js';
import { firstIssue } from '../domain/formats/json.js';
import {
  datasetNameSchema,
  itemIdSchema,
  questionIdSchema,
  runIdSchema,
  sampleKeySchema,
  storeNameSchema,
} from '../domain/ids.js';
import { judgingIdSchema } from '../domain/scoring/judging/judging-job.js';
import { reviewIdSchema } from '../domain/scoring/review/panel.js';
import { databaseIdSchema } from '../domain/stores/database.js';
import { ingestionSchema } from '../domain/stores/ingestion.js';
import { activityFailure } from './failures.js';
import { PortFailure } from './ports/port-failure.js';

/** What names files in the inputs of activities, wherever it stands in one. Other fields are let through. */
const namesSchema = z.looseObject({
  run: runIdSchema.optional(),
  store: storeNameSchema.optional(),
  uuid: questionIdSchema.optional(),
  epoch: z.int().min(1).optional(),
  turn: z.int().min(1).optional(),
  page: z.int().min(1).optional(),
  keys: z.array(sampleKeySchema).optional(),
  samples: z.array(sampleKeySchema).optional(),
  settings: z.looseObject({ run: runIdSchema }).optional(),
  // What judges a run is the settings themselves.
  judging: z.union([judgingIdSchema, z.looseObject({})]).optional(),
  review: reviewIdSchema.optional(),
  job: enrichmentIdSchema.optional(),
  dataset: datasetNameSchema.optional(),
  // Of a dataset: its id, or all of it.
  item: z.union([itemIdSchema, z.looseObject({ id: itemIdSchema })]).optional(),
  call: z.int().min(1).optional(),
  version: z.int().min(1).optional(),
  versions: z.record(z.string(), z.int().min(1)).optional(),
  database: databaseIdSchema.optional(),
  ingestion: ingestionSchema.nullish(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});

/**
 * Refuses an input whose names are none. Whoever reaches the Temporal server can start a workflow, and a run named `../../x`
 * would be a path out of the home.
 */
const atBorder =
  <Args extends unknown[], Output>(
    activity: (...args: Args) => Promise<Output>,
  ): ((...args: Args) => Promise<Output>) =>
  async (...args) => {
    const parsed = namesSchema.safeParse(args[0]);
    if (parsed.success) return activity(...args);
    const message = `an input from the server is refused: ${firstIssue(parsed.error)}`;
    throw activityFailure(new PortFailure('InvalidInput', message));
  };

/** The same activities, each behind the border. */
export const behindBorder = <
  Activities extends Readonly<Record<string, (...args: never[]) => Promise<unknown>>>,
>(
  activities: Activities,
): Activities =>
  Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [name, atBorder(activity)]),
    // Each keeps its name and its type.
  ) as unknown as Activities;
