import { randomBytes } from 'node:crypto';
import { PortFailure } from '../activities/ports/port-failure.js';
import { firstIssue, jsonIn } from '../domain/formats/json.js';
import { homeFile, homeIdSchema, homeSchema, type Home } from '../domain/home.js';
import { accessingFiles, jsonText } from './atomic-file.js';
import { readText, type ObjectStorage } from './objects.js';

type Place = Pick<ObjectStorage, 'location' | 'read' | 'create' | 'write'>;

/** Null where no home has been made yet. Throws PortFailure where it cannot be read. */
export async function readHome(storage: Place): Promise<Home | null> {
  const file = `${homeFile} of ${storage.location}`;
  const text = await accessingFiles(`${file} cannot be read`, () => readText(storage, homeFile));
  if (text === null) return null;
  const parsed = homeSchema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new PortFailure(
    'RunFilesUnavailable',
    `${file} is damaged (${firstIssue(parsed.error)}): restore it, or remove it where no run is open`,
  );
}

/** A home, made where there is none. Of processes that make one at once, all get the same. */
export async function openHome(storage: Place): Promise<Home> {
  const known = await readHome(storage);
  if (known !== null) return known;
  const made = { id: homeIdSchema.parse(randomBytes(5).toString('hex')) };
  await accessingFiles(`${homeFile} of ${storage.location} cannot be written`, () =>
    storage.create(homeFile, jsonText(made)),
  );
  // Another process may have been first.
  return (await readHome(storage)) ?? made;
}

/** Says in a home with which key its workers encrypt from now on. @param key - its id */
export const keepPayloadKey = (storage: Place, home: Home, payloadKey: string): Promise<void> =>
  accessingFiles(`${homeFile} of ${storage.location} cannot be written`, () =>
    storage.write(homeFile, jsonText({ ...home, payloadKey })),
  );
