import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadTemporal } from '../../../worker/embedded/temporal-cli.js';
import { startHttpEndpoint, type HttpEndpoint } from '../../support/fakes/http-endpoint.js';

describe('downloading the Temporal command line', () => {
  const { signal } = new AbortController();
  let folder: string;
  let endpoint: HttpEndpoint | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwise-download-'));
  });
  afterEach(async () => {
    await endpoint?.close();
    endpoint = undefined;
  });

  it('follows the answer to the archive and unpacks the program', async () => {
    const origin = mkdtempSync(join(tmpdir(), 'turnwise-origin-'));
    writeFileSync(join(origin, 'temporal'), 'the program');
    execFileSync('tar', ['-czf', join(origin, 'a.tar.gz'), '-C', origin, 'temporal']);
    const archive = readFileSync(join(origin, 'a.tar.gz'));
    endpoint = await startHttpEndpoint((response, { path }) => {
      if (path === '/archive') response.end(archive);
      else {
        const archiveUrl = `${endpoint?.url ?? ''}/archive`;
        response.end(JSON.stringify({ archiveUrl, fileToExtract: 'temporal' }));
      }
    });
    expect(await downloadTemporal(`${endpoint.url}/cli`, folder, signal)).toBeUndefined();
    expect(readFileSync(join(folder, 'temporal'), 'utf8')).toBe('the program');
    expect(readdirSync(folder)).toEqual(['temporal']);
  });

  it.each([
    ['a refusal', 503, '', 'answered 503'],
    ['nonsense', 200, 'hello', '127.0.0.1'],
  ])('gives the reason for %s', async (_case, status, body, reason) => {
    endpoint = await startHttpEndpoint((response) => {
      response.writeHead(status).end(body);
    });
    expect(await downloadTemporal(endpoint.url, folder, signal)).toContain(reason);
    expect(existsSync(join(folder, 'temporal'))).toBe(false);
  });

  it('gives the reason when nobody is there', async () => {
    endpoint = await startHttpEndpoint(() => undefined);
    const { url } = endpoint;
    await endpoint.close();
    expect(await downloadTemporal(url, folder, signal)).toContain('cannot be reached');
  });
});
