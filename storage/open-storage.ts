import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { PortFailure } from '../activities/ports/port-failure.js';
import { firstIssue, jsonIn } from '../domain/formats/json.js';
import { homeFile, homeIdSchema, homeSchema, type Home } from '../domain/home.js';
import { isS3 } from '../domain/settings.js';
import { accessingFiles, jsonText } from './atomic-file.js';
import { createFolderStorage } from './folder-storage.js';
import { readText, type ObjectStorage } from './objects.js';
import { createS3Storage } from './s3-storage.js';

/** Of one place in a process: it keeps its connections. */
const opened = new Map<string, ObjectStorage>();

/** @param location - a folder, or `s3://bucket/prefix` as `domain/settings.ts` allows it */
export function openStorage(location: string): ObjectStorage {
  const place = isS3(location) ? location : resolve(location);
  const storage = opened.get(place) ?? make(place);
  opened.set(place, storage);
  return storage;
}

function make(place: string): ObjectStorage {
  if (!isS3(place)) return createFolderStorage(place);
  const [bucket = '', ...prefix] = place.slice('s3://'.length).split('/');
  return createS3Storage({ bucket, prefix: prefix.filter((part) => part !== '').join('/') });
}

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
