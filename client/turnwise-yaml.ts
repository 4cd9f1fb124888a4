import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { modelEntriesSchema, type ModelEntries } from '../domain/models/model-entry.js';
import { priceTableSchema, type PriceTable } from '../domain/models/price.js';
import { firstIssue } from '../domain/questions/dataset.js';
import { environmentSchema } from '../domain/settings.js';
import { UserError } from './user-error.js';

const environmentNames = Object.fromEntries(
  Object.keys(environmentSchema.shape).map((name) => [
    name,
    z.union([z.string(), z.number()]).transform(String).optional(),
  ]),
);

const fileSchema = z.strictObject({
  ...environmentNames,
  models: modelEntriesSchema.default({}),
  prices: priceTableSchema.default({}),
});

/** What `turnwise.yaml` says. */
export interface TurnwiseYaml {
  /** Settings by the names of `domain/settings.ts`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What requests to a model must look like, by model. */
  readonly models: ModelEntries;
  /** US dollars per million tokens, by model. */
  readonly prices: PriceTable;
}

/** Nothing where there is no such file in `folder`. Throws UserError naming the first flaw. */
export function readTurnwiseYaml(folder: string = process.cwd()): TurnwiseYaml {
  const path = resolve(folder, 'turnwise.yaml');
  const parsed = fileSchema.safeParse((existsSync(path) ? readYaml(path) : null) ?? {});
  if (!parsed.success) throw new UserError(`in ${path}, ${flaw(parsed.error)}`);
  const { models, prices, ...environment } = parsed.data;
  return { environment, models, prices };
}

function flaw(error: z.ZodError): string {
  const [first] = error.issues;
  return first?.code === 'unrecognized_keys' && first.path.length === 0
    ? `${first.keys.join(', ')} is no setting; there are ${Object.keys(fileSchema.shape).join(', ')}`
    : firstIssue(error);
}

function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(
      `${path} is not YAML: ${error instanceof Error ? firstLine(error.message) : ''}`,
    );
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]?.replace(/:$/, '') ?? '';
