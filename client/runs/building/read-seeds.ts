import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jsonIn } from '../../../domain/formats/json.js';
import type { Build } from '../../../domain/building/build.js';
import { itemIds, readSeeds, spiderSeeds, type SeedLine } from '../../../domain/building/seeds.js';
import { scratchTables } from '../../../domain/building/scratch-tables.js';
import {
  databaseKey,
  type DatabaseSource,
  type DescribedDatabase,
} from '../../../domain/stores/database.js';
import { storageOf, type Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import { flawedFiles, readTextFile } from '../../services/read-file.js';
import { importDatabases } from '../database-qa/import-databases.js';

interface SeedsGiven {
  readonly seeds: readonly SeedLine[];
  /** To which paths of databases are relative. */
  readonly folder: string;
}

/** The questions of Spider, as its folder has them. */
const spiderFile = 'train_spider.json';

function seedsAt(path: string): SeedsGiven {
  if (existsSync(path) && statSync(path).isDirectory()) {
    const file = join(path, spiderFile);
    const seeds = spiderSeeds(jsonIn(readTextFile(file)));
    if (seeds !== null) return { seeds, folder: path };
    throw new UserError(
      `${file} is not as Spider has it: a list of objects with db_id and question`,
    );
  }
  const { seeds, problems } = readSeeds(readTextFile(path));
  if (problems.length > 0) throw flawedFiles([{ file: path, problems }]);
  return { seeds, folder: dirname(path) };
}

/** What seeds say of themselves, where they do not. */
interface SeedDefaults {
  readonly source?: string | undefined;
  readonly licence?: string | undefined;
  /** The first so many. @defaultValue all */
  readonly items?: number | undefined;
}

/** Seeds with the schemas of their databases, each of which can be made empty. Throws UserError naming what cannot be read. */
export async function planSeeds(
  environment: Environment,
  path: string,
  { source, licence, items }: SeedDefaults,
): Promise<Pick<Build, 'seeds' | 'databases' | 'seedsFrom'>> {
  const given = seedsAt(path);
  const lines = given.seeds.slice(0, items);
  if (lines.length === 0) throw new UserError(`${path} has no seed questions`);
  const sources = [
    ...new Map(lines.map(({ database }) => [databaseKey(database), database])).values(),
  ];
  const described = await importAll(environment, given.folder, sources, path);
  await requireSchemas(environment, described);
  const placeOf = ({ database }: SeedLine): number =>
    sources.findIndex((each) => databaseKey(each) === databaseKey(database));
  const ids = itemIds(
    lines.map((line) => ({ uuid: line.uuid, database: described[placeOf(line)]?.name ?? '' })),
  );
  return {
    seedsFrom: path,
    databases: described,
    seeds: ids.flatMap((item, index) => {
      const line = lines[index];
      if (line === undefined) return [];
      return [
        {
          ...{ item, database: placeOf(line), question: line.question },
          source: line.source ?? source ?? null,
          licence: line.licence ?? licence ?? null,
        },
      ];
    }),
  };
}

async function importAll(
  environment: Environment,
  folder: string,
  sources: readonly DatabaseSource[],
  path: string,
): Promise<readonly DescribedDatabase[]> {
  const place = { home: environment.TURNWISE_HOME, storage: storageOf(environment) };
  const found = await importDatabases({ ...place, folder, sources, engine: 'duckdb' });
  return sources.map((source) => {
    const result = found.get(databaseKey(source));
    if (result?.kind === 'imported') return result.description;
    throw new UserError(`${path}: ${result?.message ?? 'a database cannot be read'}`);
  });
}

/** Each schema is made once without rows, before a model is paid to fill it. */
async function requireSchemas(
  environment: Environment,
  databases: readonly DescribedDatabase[],
): Promise<void> {
  const place = { home: environment.TURNWISE_HOME, storage: storageOf(environment) };
  const sources = databases.map((database) => ({
    ddl: scratchTables(database)
      .creates.map(({ sql }) => sql)
      .join('\n'),
    rows: '',
  }));
  const made = await importDatabases({ ...place, folder: '.', sources });
  for (const [place, source] of sources.entries()) {
    const result = made.get(databaseKey(source));
    if (result?.kind === 'imported') continue;
    const name = databases[place]?.name ?? '';
    throw new UserError(
      `the schema of ${name} cannot be made without its rows: ${result?.message ?? ''}`,
    );
  }
}
