import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  findTemporalCli,
  obtainTemporalCli,
  temporalCandidates,
  type TemporalSources,
} from '../../../worker/embedded/temporal-cli.js';

const linux = { platform: 'linux', arch: 'x64' } as const;

describe('the candidates for the Temporal command line', () => {
  it('come in the order of decision 0002', () => {
    const candidates = temporalCandidates({ named: undefined, cacheFolder: '/c', ...linux });
    expect(candidates.map(({ kind }) => kind)).toEqual([
      'on-path',
      'cached',
      'download',
      'go-install',
    ]);
  });

  it('are the named one alone when one is named', () => {
    const candidates = temporalCandidates({ named: '/my/temporal', cacheFolder: '/c', ...linux });
    expect(candidates).toEqual([{ kind: 'named', path: '/my/temporal' }]);
  });

  it('leave out the download for a machine it is not offered for', () => {
    const candidates = temporalCandidates({
      named: undefined,
      cacheFolder: '/c',
      platform: 'linux',
      arch: 'riscv64',
    });
    expect(candidates.map(({ kind }) => kind)).toEqual(['on-path', 'cached', 'go-install']);
  });
});

describe('obtaining the Temporal command line', () => {
  let cacheFolder: string;
  let steps: string[];

  beforeEach(() => {
    cacheFolder = mkdtempSync(join(tmpdir(), 'turnwise-cache-'));
    steps = [];
  });

  const context = (): Parameters<typeof obtainTemporalCli>[1] => ({
    cacheFolder,
    onStep: (text) => steps.push(text),
    signal: new AbortController().signal,
  });
  const candidates = (): ReturnType<typeof temporalCandidates> =>
    temporalCandidates({ named: undefined, cacheFolder, ...linux });

  /** A world in which the paths given work, and download and build end as told. */
  function world(
    working: readonly string[],
    outcome: { download?: string; build?: string },
  ): TemporalSources & { readonly tried: string[] } {
    const tried: string[] = [];
    const make =
      (name: 'download' | 'build') =>
      (_from: unknown, folder: string): Promise<string | undefined> => {
        tried.push(name);
        const reason = outcome[name];
        if (reason === undefined) writeFileSync(join(folder, 'temporal'), '');
        return Promise.resolve(reason);
      };
    return {
      tried,
      probe: (path) => {
        const works =
          working.includes(path) || (tried.length > 0 && path.includes('temporal-draft-'));
        return Promise.resolve(works ? 'Server 1.29.1' : undefined);
      },
      download: make('download'),
      build: make('build'),
    };
  }

  it.each([
    ['on-path', ['temporal'], {}, []],
    ['download', [], {}, ['download']],
    ['go-install', [], { download: 'no network' }, ['download', 'build']],
  ] as const)(
    'ends with %s when it is the first that works',
    async (source, working, outcome, tried) => {
      const sources = world(working, outcome);
      const cli = await obtainTemporalCli(candidates(), context(), sources);
      expect(cli).toMatchObject({ source, version: 'Server 1.29.1' });
      expect(sources.tried).toEqual(tried);
    },
  );

  it('takes the cached copy before anything is fetched', async () => {
    const path = join(cacheFolder, 'temporal-v1.5.1', 'temporal');
    const sources = world([path], {});
    expect(await obtainTemporalCli(candidates(), context(), sources)).toMatchObject({
      source: 'cached',
      path,
    });
    expect(sources.tried).toEqual([]);
  });

  it('leaves the program and nothing else in the cache folder', async () => {
    await obtainTemporalCli(candidates(), context(), world([], { download: 'no network' }));
    expect(readdirSync(cacheFolder)).toEqual(['temporal-v1.5.1']);
    expect(steps).toContain('Temporal server: downloading: no network (0 s)');
  });

  it('gives every reason and the remedy when nothing works, and leaves no draft', async () => {
    const sources = world([], { download: 'no network', build: 'Go is not installed' });
    const failing = obtainTemporalCli(candidates(), context(), sources);
    await expect(failing).rejects.toMatchObject({ exitStatus: 3 });
    await expect(failing).rejects.toThrow(
      /no network; Go is not installed\. Install .*TURNWISE_TEMPORAL_CLI/,
    );
    expect(readdirSync(cacheFolder)).toEqual([]);
  });

  it('names the cache folder when it cannot be written to', async () => {
    writeFileSync(join(cacheFolder, 'file'), '');
    const inside = join(cacheFolder, 'file', 'cache');
    const failing = obtainTemporalCli(
      candidates(),
      { ...context(), cacheFolder: inside },
      world([], {}),
    );
    await expect(failing).rejects.toThrow(`The cache folder ${inside} cannot be written to`);
  });

  it('does not replace a named one that does not work', async () => {
    const named = temporalCandidates({ named: '/my/temporal', cacheFolder, ...linux });
    const sources = world(['temporal'], {});
    await expect(obtainTemporalCli(named, context(), sources)).rejects.toThrow(
      'TURNWISE_TEMPORAL_CLI names /my/temporal',
    );
    expect(sources.tried).toEqual([]);
  });

  it('finds without fetching', async () => {
    const sources = world([], {});
    const { signal } = new AbortController();
    expect(await findTemporalCli(candidates(), signal, sources)).toBeUndefined();
    expect(sources.tried).toEqual([]);
  });
});
