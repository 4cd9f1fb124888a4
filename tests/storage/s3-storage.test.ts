import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFolder } from '../../domain/runs/run-manifest.js';
import { createRunFiles } from '../../storage/runs/run-files.js';
import { createS3Storage } from '../../storage/s3-storage.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import { exampleEnd, sampleKey } from '../support/runs/example-records.js';
import { runFilesContract } from '../support/runs/run-files-contract.js';
import { generationsContract } from '../support/storage/generations-contract.js';
import { startObjectServer, type ObjectServer } from '../../bench/servers/local-server.js';
import { storageContract } from '../support/storage/storage-contract.js';

describe('an object store', () => {
  let server: ObjectServer;
  const before = new Map<string, string | undefined>();
  beforeAll(async () => {
    server = await startObjectServer();
    for (const [name, value] of Object.entries(server.environment)) {
      before.set(name, process.env[name]);
      process.env[name] = value;
    }
  });
  afterAll(async () => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    await server.stop();
  });

  let places = 0;
  const emptyPlace = () => {
    const place = { bucket: server.bucket, prefix: `tests/${++places}` };
    return () => createS3Storage(place);
  };
  const { run } = exampleManifest();

  describe('holds objects', () => {
    storageContract(emptyPlace);

    it('of more than one part', async () => {
      const place = { bucket: server.bucket, prefix: 'tests/parts' };
      const storage = createS3Storage(place, 5 * 2 ** 20);
      const folder = mkdtempSync(join(tmpdir(), 'turnwise-parts-'));
      const bytes = Buffer.alloc(11 * 2 ** 20, 'of parts');
      writeFileSync(join(folder, 'sent'), bytes);
      await storage.upload('large', join(folder, 'sent'));
      expect(await storage.version('large')).toMatchObject({ bytes: bytes.length });
      expect(await storage.download('large', join(folder, 'got'))).toBe(true);
      expect(readFileSync(join(folder, 'got')).equals(bytes)).toBe(true);
    });

    it('in a whole bucket as well', async () => {
      const storage = createS3Storage({ bucket: server.bucket, prefix: '' });
      await storage.write('alone', 'here');
      expect(await storage.list('')).toContain('alone');
      expect(storage.location).toBe('s3://runs');
    });
  });

  describe('holds generations of stores', () => {
    generationsContract(emptyPlace);
  });

  describe('holds runs', () => {
    runFilesContract(() => {
      const open = emptyPlace();
      return {
        open: () => createRunFiles(open()),
        storage: open(),
        unwritable: () =>
          createRunFiles(createS3Storage({ bucket: 'no-such-bucket', prefix: 'a' })),
      };
    });

    it('with results in a few objects, however often some were published', async () => {
      const storage = emptyPlace()();
      const files = createRunFiles(storage);
      const keys = Array.from({ length: 40 }, (_, index) => sampleKey(`q${index}`));
      for (const key of keys) await files.publish(run, [exampleEnd(key)]);
      const shards = await storage.list(`${runFolder(run)}/results.jsonl`);
      // Two of sixteen appends each, and the eight since.
      expect(shards).toHaveLength(10);
      expect((await files.text(run, 'results.jsonl'))?.trim().split('\n')).toHaveLength(40);
    });
  });

  describe('that fails', () => {
    it('is named with its bucket, where that is missing', async () => {
      const storage = createS3Storage({ bucket: 'no-such-bucket', prefix: 'a' });
      await expect(storage.read('x')).rejects.toThrow(
        's3://no-such-bucket/a: there is no bucket no-such-bucket: create it',
      );
    });

    it('is named with its remedy, where the key is refused', async () => {
      const storage = createS3Storage({ bucket: server.bucket, prefix: 'a' });
      const secret = process.env['AWS_SECRET_ACCESS_KEY'];
      process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
      try {
        await expect(storage.write('x', '')).rejects.toThrow(
          /access is denied .*AWS_ACCESS_KEY_ID/,
        );
        await expect(storage.version('x')).rejects.toThrow(/access is denied/);
      } finally {
        process.env['AWS_SECRET_ACCESS_KEY'] = secret;
      }
    });

    it('is named with its remedy, where nothing listens', async () => {
      const storage = createS3Storage({ bucket: server.bucket, prefix: 'a' });
      const { AWS_ENDPOINT_URL } = server.environment;
      process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:9';
      try {
        await expect(storage.list('x')).rejects.toThrow(
          /s3:\/\/runs\/a: it cannot be reached \(.*ECONNREFUSED.*\): check AWS_ENDPOINT_URL/,
        );
      } finally {
        process.env['AWS_ENDPOINT_URL'] = AWS_ENDPOINT_URL;
      }
    });
  });
});
