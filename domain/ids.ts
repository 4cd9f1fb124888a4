import { z } from 'zod';
import type { HomeId } from './home.js';

const name = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,79}$/i,
    'must be 1 to 80 letters, digits, dots, underscores or hyphens, beginning with a letter or digit',
  );

export const runIdSchema = name.brand<'RunId'>();
export type RunId = z.infer<typeof runIdSchema>;

/** The name becomes a folder and a prefix of Milvus collections, which allow few characters. */
export const storeNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be 1 to 40 of a-z, 0-9 and _, beginning with a letter')
  .brand<'StoreName'>();
export type StoreName = z.infer<typeof storeNameSchema>;

/** The `uuid` of a dataset item. It becomes a file name. */
export const questionIdSchema = z
  .string('is missing, or is no text')
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'must be 1 to 128 letters, digits, dots, underscores or hyphens, beginning with a letter or digit',
  )
  .brand<'QuestionId'>();
export type QuestionId = z.infer<typeof questionIdSchema>;

/** A sample: one question in one epoch. */
export const sampleKeySchema = z.object({ uuid: questionIdSchema, epoch: z.int().min(1) });
export type SampleKey = Readonly<z.infer<typeof sampleKeySchema>>;

export const isSameSample = (a: SampleKey, b: SampleKey): boolean =>
  a.uuid === b.uuid && a.epoch === b.epoch;

/** A unique text for each sample of a run, as no uuid contains a space. */
export const keyText = ({
  uuid,
  epoch,
}: {
  readonly uuid: string;
  readonly epoch: number;
}): string => `${uuid} ${epoch}`;

/** The name of a sample in file names. No uuid contains `~`, so that no other sample has this name. */
export const sampleName = ({ uuid, epoch }: SampleKey): string =>
  epoch === 1 ? uuid : `${uuid}~e${epoch}`;

/** Every workflow id begins with its home. */
export const runWorkflowId = (home: HomeId, run: RunId): string => `${home}/run/${run}`;

export const questionWorkflowId = (home: HomeId, run: RunId, { uuid, epoch }: SampleKey): string =>
  `${home}/run/${run}/q/${uuid}/e/${epoch}`;

/** Of what builds, checks or removes a store. They exclude one another by having the same id. */
export const ingestionWorkflowId = (home: HomeId, store: StoreName): string =>
  `${home}/ingest/${store}`;

export const paperWorkflowId = (home: HomeId, store: StoreName, sha256: string): string =>
  `${home}/ingest/${store}/pdf/${sha256.slice(0, 16)}`;

/** The sample of a question's workflow. Null for the ids of other workflows. */
export function parseQuestionWorkflowId(id: string): SampleKey | null {
  const [, uuid, epoch] = /^[^/]+\/run\/[^/]+\/q\/([^/]+)\/e\/(\d+)$/.exec(id) ?? [];
  const parsed = sampleKeySchema.safeParse({ uuid, epoch: Number(epoch) });
  return parsed.success ? parsed.data : null;
}

/**
 * The common prefix of the workflow ids of all accounts at a base URL for a model, inside a home. It contains only the public
 * part of the URL, and no quotes, as it is used in list queries.
 */
export function accountWorkflowPrefix(baseUrl: string, model: string): string {
  const name = encodeURIComponent(model).replaceAll("'", '%27');
  return `account/${new URL(baseUrl).host}/${name}/`;
}

/** @param fingerprint - a hash of the API key and the URL's path, which reveals neither */
export const accountWorkflowId = (baseUrl: string, model: string, fingerprint: string): string =>
  `${accountWorkflowPrefix(baseUrl, model)}${fingerprint}`;

/**
 * The search attributes of runs and questions, all of type Keyword (a SQL-backed server has ten of them).
 * Embedded servers register them at start; on other servers a worker creates them (`temporal/search-attributes.ts`).
 */
export const searchAttributes = {
  run: 'TurnwiseRun',
  state: 'TurnwiseState',
  model: 'TurnwiseModel',
  method: 'TurnwiseMethod',
  store: 'TurnwiseStore',
  outcome: 'TurnwiseOutcome',
  failure: 'TurnwiseFailure',
} as const;
export type SearchAttribute = (typeof searchAttributes)[keyof typeof searchAttributes];
