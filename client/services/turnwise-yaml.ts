import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  modelEntriesSchema,
  modelEntrySchema,
  type ModelEntries,
} from '../../domain/models/model-settings.js';
import { priceSchema, priceTableSchema, type PriceTable } from '../../domain/models/usage.js';
import { didYouMean } from '../../domain/formats/did-you-mean.js';
import { environmentSchema } from '../../domain/settings.js';
import { plainIssue, readYamlFile, type YamlFile } from './read-file.js';
import { UserError } from '../../domain/user-error.js';

const settingSchema = z
  .union([z.string(), z.number()], { error: 'must be a text or a number' })
  .nullish()
  .transform((value) => (value == null ? undefined : String(value)));

const environmentNames = Object.fromEntries(
  Object.keys(environmentSchema.shape).map((name) => [name, settingSchema]),
);

/** A section whose contents are commented out says nothing. */
const section = <T extends z.ZodType<object>>(entries: T) =>
  entries.nullish().transform((value) => value ?? ({} as z.output<T>));

const fileSchema = z.strictObject({
  models: section(modelEntriesSchema),
  prices: section(priceTableSchema),
  ...environmentNames,
});

/** What `turnwise.yaml` says. */
interface TurnwiseYaml {
  /** Settings by the names of `domain/settings.ts`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What requests to a model must look like, by model. */
  readonly models: ModelEntries;
  /** US dollars per million tokens, by model. */
  readonly prices: PriceTable;
}

/** Nothing where there is no such file in `folder`. Throws UserError naming the line of the first flaw. */
export function readTurnwiseYaml(folder: string = process.cwd()): TurnwiseYaml {
  const path = resolve(folder, 'turnwise.yaml');
  if (!existsSync(path)) return { environment: {}, models: {}, prices: {} };
  const file = readYamlFile(path);
  const parsed = fileSchema.safeParse(file.value ?? {}, { error: plainIssue });
  if (!parsed.success) throw new UserError(`in ${path}, ${flawIn(file, parsed.error)}`);
  const { models, prices, ...environment } = parsed.data;
  return { environment, models, prices };
}

/** The names there are, by the section they stand in. */
const known: Readonly<Record<string, readonly string[]>> = {
  models: Object.keys(modelEntrySchema.shape),
  prices: Object.keys(priceSchema.shape),
};

function flawIn({ lineOf }: YamlFile, { issues }: z.ZodError): string {
  // A parse that failed has at least one.
  const [issue] = issues as [z.core.$ZodIssue];
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = unknown === undefined ? issue.path : [...issue.path, unknown];
  const names = known[String(issue.path[0])] ?? Object.keys(fileSchema.shape);
  const what =
    unknown === undefined
      ? issue.message
      : `is no setting${didYouMean(unknown, names)}; there are ${names.join(', ')}`;
  const name = path.filter((key) => key !== '').join('.');
  return `line ${lineOf(path)}: ${name === '' ? 'it' : name} ${what}`;
}
