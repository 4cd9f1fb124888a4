import { z } from 'zod';
import type { HomeId } from './home.js';

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/,
    'must be 1 to 80 letters, digits, dots, underscores or hyphens, beginning with a letter or digit',
  );

export const runIdSchema = name.brand<'RunId'>();
export type RunId = z.infer<typeof runIdSchema>;

/** Of an evaluation: the names of its runs begin with it. */
export const evaluationNameSchema = name
  .max(40, 'must have at most 40 characters')
  .brand<'EvaluationName'>();
export type EvaluationName = z.infer<typeof evaluationNameSchema>;

const longestRunId = 80;

/**
 * A run id of some names, joined by hyphens. What ids may not hold becomes a hyphen, and a name that would be too long ends
 * with a hash instead, so that the same names always give the same id.
 * @param others - what else tells the run from others, which is hashed. @defaultValue nothing
 */
export function runIdOf(names: readonly string[], others = ''): RunId {
  const whole = names.join('-');
  const clean = whole.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return runIdSchema.parse(
    clean.length <= longestRunId && others === ''
      ? clean
      : `${clean.slice(0, longestRunId - 9)}-${hashOf(whole + others).slice(0, 8)}`,
  );
}

/** The run of a cell of an evaluation, as `EVALUATION-DATASET-METHOD-MODEL`. */
export const cellRunId = (
  evaluation: EvaluationName,
  { dataset, method, model }: Readonly<Record<'dataset' | 'method' | 'model', string>>,
): RunId => runIdOf([evaluation, dataset, method, model]);

/** The name becomes a folder and a prefix of Milvus collections, which allow few characters. */
export const storeNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be 1 to 40 of a-z, 0-9 and _, beginning with a letter')
  .brand<'StoreName'>();
export type StoreName = z.infer<typeof storeNameSchema>;

/** The `uuid` of a dataset item, as its author wrote it: `HumanEval/0` is one. */
export const questionIdSchema = z
  .string('is missing, or is no text')
  .regex(
    /^(?!\s)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,512}(?<!\s)$/u,
    'must be 1 to 512 characters on one line, and neither begin nor end with a space',
  )
  .brand<'QuestionId'>();
export type QuestionId = z.infer<typeof questionIdSchema>;

/** The name of a dataset that is being built, and of its folder. */
export const datasetNameSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,59}$/,
    'must be 1 to 60 small letters, digits, dots, underscores or hyphens, beginning with a letter or digit',
  )
  .brand<'DatasetName'>();
export type DatasetName = z.infer<typeof datasetNameSchema>;

/** An item of a dataset that is being built; later its `uuid`. Small letters, as it is the name of a folder. */
export const itemIdSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,79}$/,
    'must be 1 to 80 small letters, digits, dots, underscores or hyphens, beginning with a letter or digit',
  )
  .brand<'ItemId'>();
export type ItemId = z.infer<typeof itemIdSchema>;

/** The name under which a person decides, rules, or writes a note. */
export const personSchema = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}]*$/u);

/** A sample: one question in one epoch. */
export const sampleKeySchema = z.object({ uuid: questionIdSchema, epoch: z.int().min(1) });
export type SampleKey = Readonly<z.infer<typeof sampleKeySchema>>;

export const isSameSample = (a: SampleKey, b: SampleKey): boolean =>
  a.uuid === b.uuid && a.epoch === b.epoch;

/** A unique text for each sample of a run: what follows the last space is the epoch. */
export const keyText = ({
  uuid,
  epoch,
}: {
  readonly uuid: string;
  readonly epoch: number;
}): string => `${uuid} ${epoch}`;

/** A file name may have 255 bytes, and drafts add 46 to that of a record. */
const longestFileName = 150;
/** Temporal takes ids of 1,000 characters. */
const longestWorkflowPart = 700;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * A uuid as a name of a file or a part of a workflow id, which differs from that of every other uuid also where `Q1` and
 * `q1` are one file. Small letters, digits, `.`, `_` and `-` stand for themselves, `~q` for `Q`, and `~047` for the byte 47
 * of the text in UTF-8. A name that would be too long ends with a hash instead.
 */
function safeName(uuid: string, longest: number): string {
  const name = [...new TextEncoder().encode(uuid)]
    .map((byte, index, { length }) => {
      const letter = String.fromCharCode(byte);
      // Hidden files, `.` and `..`, what programs take for an option, and the dots that Windows removes.
      const isMisread =
        (index === 0 && /[.-]/.test(letter)) || (index === length - 1 && letter === '.');
      if (/[a-z0-9._-]/.test(letter) && !isMisread) return letter;
      return /[A-Z]/.test(letter)
        ? `~${letter.toLowerCase()}`
        : `~${String(byte).padStart(3, '0')}`;
    })
    .join('');
  return name.length <= longest ? name : `${name.slice(0, longest - 40)}~~~${hashOf(uuid)}`;
}

/** The uuid of a name that is not too long; null for what is no name. */
function uuidOf(name: string): string | null {
  const parts = name.match(/~[a-z]|~\d{3}|[^~]/g) ?? [];
  if (parts.join('') !== name) return null;
  const bytes = parts.map((part) => {
    const [first = '', letter = ''] = part;
    if (first !== '~') return first.charCodeAt(0);
    return /\d/.test(letter) ? Number(part.slice(1)) : letter.toUpperCase().charCodeAt(0);
  });
  try {
    const uuid = decoder.decode(Uint8Array.from(bytes));
    return safeName(uuid, longestWorkflowPart) === name ? uuid : null;
  } catch {
    return null;
  }
}

/** FNV-1a with 128 bits, in hex: no cryptography is at hand in workflows. */
function hashOf(text: string): string {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * 0x1000000000000000000013bn);
  }
  return hash.toString(16).padStart(32, '0');
}

/** The name of a sample in file names. No name of a uuid contains `~~` before a digit, so that no other sample has this one. */
export const sampleName = ({ uuid, epoch }: SampleKey): string => {
  const name = safeName(uuid, longestFileName);
  return epoch === 1 ? name : `${name}~~${epoch}`;
};

/** Every workflow id begins with its home. */
export const runWorkflowId = (home: HomeId, run: RunId): string => `${home}/run/${run}`;

/** The run of a workflow id that `runWorkflowId` made; null for another one. */
export const runOfWorkflow = (workflowId: string): RunId | null =>
  runIdSchema.safeParse(/^[^/]+\/run\/([^/]+)$/.exec(workflowId)?.[1]).data ?? null;

export const questionWorkflowId = (home: HomeId, run: RunId, { uuid, epoch }: SampleKey): string =>
  `${home}/run/${run}/q/${safeName(uuid, longestWorkflowPart)}/e/${epoch}`;

/** Of the calls that show, before a run starts, whether its models can be asked. */
export const probeWorkflowId = (home: HomeId, run: RunId): string => `${home}/run/${run}/probe`;

/** What a model call is paid from: the budget of a run, or of a dataset that is being built. */
export type Payer =
  | { readonly kind: 'run'; readonly run: RunId }
  | { readonly kind: 'dataset'; readonly dataset: DatasetName };

/** The workflow that keeps the budget. */
export const payerWorkflowId = (home: HomeId, payer: Payer): string =>
  payer.kind === 'run' ? runWorkflowId(home, payer.run) : datasetWorkflowId(home, payer.dataset);

/** As messages name it. */
export const payerName = (payer: Payer): string =>
  payer.kind === 'run' ? `run ${payer.run}` : `dataset ${payer.dataset}`;

export const datasetWorkflowId = (home: HomeId, dataset: DatasetName): string =>
  `${home}/dataset/${dataset}`;

export const itemWorkflowId = (home: HomeId, dataset: DatasetName, item: ItemId): string =>
  `${home}/dataset/${dataset}/item/${item}`;

/** Of what builds, checks or removes a store. They exclude one another by having the same id. */
export const ingestionWorkflowId = (home: HomeId, store: StoreName): string =>
  `${home}/ingest/${store}`;

export const paperWorkflowId = (home: HomeId, store: StoreName, sha256: string): string =>
  `${home}/ingest/${store}/pdf/${sha256.slice(0, 16)}`;

/** The sample of a question's workflow. Null for the ids of other workflows, and for uuids that are too long for one. */
export function parseQuestionWorkflowId(id: string): SampleKey | null {
  const [, name, epoch] = /^[^/]+\/run\/[^/]+\/q\/([^/]+)\/e\/(\d+)$/.exec(id) ?? [];
  const uuid = name === undefined ? null : uuidOf(name);
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
 * Embedded servers register them at start; on other servers a worker creates them (`temporal/namespace.ts`).
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

/** Where a Temporal UI shows a workflow, from the address of the UI on. */
export const workflowPath = (namespace: string, workflowId: string): string =>
  `/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`;

/** Where it lists the questions of a run. */
export const questionsPath = (namespace: string, home: HomeId, run: RunId): string => {
  const query = `${searchAttributes.run} = '${run}' AND WorkflowId STARTS_WITH '${runWorkflowId(home, run)}/q/'`;
  return `/namespaces/${namespace}/workflows?query=${encodeURIComponent(query)}`;
};

export type SearchAttribute = (typeof searchAttributes)[keyof typeof searchAttributes];
