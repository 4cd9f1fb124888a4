import { randomBytes } from 'node:crypto';
import { PortFailure } from '../activities/ports/port-failure.js';
import { firstIssue, jsonIn } from '../domain/formats/json.js';
import { homeFile, homeIdSchema, homeSchema, type HomeId } from '../domain/home.js';
import { accessingFiles, jsonText } from './atomic-file.js';
import { readText, type ObjectStorage } from './objects.js';

type Place = Pick<ObjectStorage, 'location' | 'read' | 'create'>;

/** Null where no home has been made yet. Throws PortFailure where it cannot be read. */
export async function readHomeId(storage: Place): Promise<HomeId | null> {
  const file = `${homeFile} of ${storage.location}`;
  const text = await accessingFiles(`${file} cannot be read`, () => readText(storage, homeFile));
  if (text === null) return null;
  const parsed = homeSchema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data.id;
  throw new PortFailure(
    'RunFilesUnavailable',
    `${file} is damaged (${firstIssue(parsed.error)}): restore it, or remove it where no run is open`,
  );
}

/** The id of a home, made where there is none. Of processes that make one at once, all get the same. */
export async function openHomeId(storage: Place): Promise<HomeId> {
  const known = await readHomeId(storage);
  if (known !== null) return known;
  const made = homeIdSchema.parse(randomBytes(5).toString('hex'));
  await accessingFiles(`${homeFile} of ${storage.location} cannot be written`, () =>
    storage.create(homeFile, jsonText({ id: made })),
  );
  // Another process may have been first.
  return (await readHomeId(storage)) ?? made;
}
