import { resolve } from 'node:path';
import { isS3 } from '../domain/settings.js';
import { createFolderStorage } from './folder-storage.js';
import type { ObjectStorage } from './objects.js';
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
