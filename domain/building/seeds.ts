import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import { firstIssue, jsonIn } from '../formats/json.js';
import { itemIdSchema, type ItemId } from '../ids.js';
import { databaseSourceSchema } from '../stores/database.js';

/** A line of a file of seeds. A dataset about databases is such a file. Other keys are not used. */
const seedLineSchema = z.looseObject({
  /** Becomes the id of the item where it can be one. */
  uuid: z.string().optional(),
  question: z.string('is missing, or is no text').trim().min(1, 'must not be empty'),
  /** Only the schema is used, not the rows. */
  database: databaseSourceSchema,
  source: z.string().optional(),
  licence: z.string().optional(),
});
export type SeedLine = Readonly<z.infer<typeof seedLineSchema>>;

interface SeedsRead {
  readonly seeds: readonly SeedLine[];
  /** Each names its line. */
  readonly problems: readonly string[];
}

export function readSeeds(text: string): SeedsRead {
  const seeds: SeedLine[] = [];
  const problems: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = seedLineSchema.safeParse(jsonIn(line));
    if (parsed.success) seeds.push(parsed.data);
    else problems.push(`line ${index + 1}: ${firstIssue(parsed.error)}`);
  }
  return { seeds, problems };
}

const spiderQuestionsSchema = z.array(z.looseObject({ db_id: z.string(), question: z.string() }));

/** The questions of Spider's `train_spider.json`, over the databases of its folder. Null for another file. */
export function spiderSeeds(json: unknown): readonly SeedLine[] | null {
  const { data } = spiderQuestionsSchema.safeParse(json);
  return (
    data?.map(({ db_id, question }) => ({
      question: question.trim(),
      database: { path: `database/${db_id}/${db_id}.sqlite` },
      source: `Spider, ${db_id}`,
    })) ?? null
  );
}

/** Ids of items, each once: the uuid of the seed, or the name of its database with a number. */
export function itemIds(
  seeds: readonly { readonly uuid?: string | undefined; readonly database: string }[],
): readonly ItemId[] {
  const taken = new Set<string>();
  return seeds.map(({ uuid, database }, index) => {
    const wanted = itemIdSchema.safeParse(uuid?.toLowerCase()).data;
    const base = database
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '');
    let id = wanted ?? `${base.slice(0, 60) || 'item'}-${index + 1}`;
    for (let again = 2; taken.has(id); again += 1) id = `${id.slice(0, 70)}-${again}`;
    taken.add(id);
    return itemIdSchema.parse(id);
  });
}

/** The UUID namespace of decisions: an arbitrary constant. */
const namespace = '8b2f4f5e-1c52-4a7b-9c6f-0b3b7a1d5e42';

/** An id that is the same for the same decision of the same person about the same thing, so that it counts once. */
export const decisionIdOf = (...parts: readonly unknown[]): string =>
  uuid5(JSON.stringify(parts), namespace);
