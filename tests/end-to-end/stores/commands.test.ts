import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStoreResultSchema } from '../../../domain/stores/store-check.js';
import {
  storeFile,
  storeFolder,
  storeManifestSchema,
} from '../../../domain/stores/store-manifest.js';
import {
  checkout,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import { bakeryPaper, lanternPaper } from '../../support/stores/example-papers.js';

const home = newHome();
// Nothing answers there: questions wait for their model.
const settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
const command = (...args: string[]): Promise<Finished> => turnwise(args, settings).finished;

let up: Running;
beforeAll(async () => {
  up = turnwise(['up'], settings);
  await untilReady(up);
  writeFileSync(join(home, 'lantern.pdf'), lanternPaper());
  writeFileSync(join(home, 'bakery.pdf'), bakeryPaper());
  for (const store of ['mine', 'other']) {
    const ingested = await command('store', 'add', 'lantern.pdf', 'bakery.pdf', '--store', store);
    expect(ingested).toMatchObject({ status: 0 });
  }
});
afterAll(async () => {
  up.child.kill('SIGINT');
  expect(await up.finished).toMatchObject({ status: 0 });
});

describe('turnwise disk', () => {
  const uses = async (...args: readonly string[]): Promise<ReadonlyMap<string, Use>> => {
    const { stdout, stderr } = await command('disk', ...args, '--json');
    const all = JSON.parse(stdout === '' ? `no JSON: ${stderr}` : stdout) as readonly Use[];
    return new Map(all.map((use) => [use.name, use]));
  };
  interface Use {
    readonly name: string;
    readonly bytes: number;
    readonly usedBy: readonly string[];
    readonly unneeded: { readonly bytes: number } | null;
  }

  it('removes an older generation of a store, with its collections, when no run is over it', async () => {
    writeFileSync(join(home, 'two.jsonl'), '{"uuid":"a","question":"Why?"}\n');
    const run = ['run', 'two.jsonl', '--store', 'other', '--run', 'two', '--model', 'gpt-4o-mini'];
    expect(
      await command(...run, '--model-attempts', '1000', '--detach', '--no-probe'),
    ).toMatchObject({ status: 0 });
    const paper = join(checkout, 'examples/papers/tables-first.pdf');
    const grown = await command('store', 'add', paper, '--store', 'other');
    expect(grown, grown.stderr).toMatchObject({ status: 0 });
    const old = 'store other, generation 1';
    expect((await uses()).get(old)).toMatchObject({ usedBy: ['run two'], unneeded: null });
    expect((await command('runs', '--sizes')).stdout).toMatch(/started \(UTC\) +size/);

    await command('cancel', 'two');
    expect(await command('runs', 'rm', 'two', '--yes')).toMatchObject({ status: 0 });
    const all = await uses();
    expect(all.get(old)?.unneeded?.bytes).toBe(all.get(old)?.bytes);
    for (const name of ['store mine', 'engines', 'collections in Milvus Lite'])
      expect(all.get(name)?.bytes, name).toBeGreaterThan(1000);
    expect(await command('disk', '--free')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`what nobody needs of ${old}`) as unknown,
    });
    expect([...(await uses('--free', '--yes')).keys()]).toEqual([old]);
    expect((await uses()).has(old)).toBe(false);
    expect(await command('store', 'check', 'other')).toMatchObject({ status: 0 });
    expect((await command('disk', '--free')).stdout).toBe('nothing was removed\n');
  });
});

describe('turnwise store', () => {
  it.each([
    [
      'check of an unknown store',
      ['check', 'nowhere'],
      /no store 'nowhere'; there are: mine, other/,
    ],
    ['check of what can name no store', ['check', 'My Papers'], /'My Papers' cannot name a store/],
    [
      'check that names none of several',
      ['check'],
      /which store is meant\? There are mine, other: name one/,
    ],
    ['check of two stores', ['check', 'mine', 'other'], /too many arguments/],
    ['check with an unknown option', ['check', 'mine', '--mend'], /unknown option '--mend'/],
    ['drop of an unknown store', ['rm', 'nowhere', '--yes'], /no store 'nowhere'; there are: mine/],
    ['removal of a path', ['rm', '../stores', '--yes'], /must be 1 to 40 of a-z/],
    ['removal without a store', ['rm', '--yes'], /missing required argument 'store'/],
    ['removal that nobody confirms', ['rm', 'mine'], /remove store mine with 2 papers.*add --yes/],
  ])('refuses the %s', async (_name, args, sentence) => {
    const finished = await command('store', ...args);
    expect(finished.stderr).toMatch(sentence);
    expect(finished.stdout + finished.stderr).not.toMatch(/^\s+at .+:\d+/m);
    expect(finished.status).toBe(2);
  });

  it('checks, finds, mends and says so by its exit status', async () => {
    const whole = await command('store', 'check', 'mine');
    expect(whole.stdout).toMatch(/^store mine: 2 papers, \d+ rows and \d+ vectors agree\n$/);
    expect(whole.status).toBe(0);

    const stores = JSON.parse((await command('store', 'list', '--json')).stdout) as unknown;
    const mine = storeManifestSchema.array().parse(stores)[0];
    if (mine?.files.bm25 === undefined) throw new Error('store mine has no BM25 model');
    rmSync(join(home, storeFolder(mine.name), storeFile(mine.name, 'bm25', mine.files.bm25)));
    const broken = await command('store', 'check', 'mine');
    expect(broken.stdout).toMatch(/BM25 model missing or damaged +bm25\.json +1 /);
    expect(broken.stdout).toContain('store mine: 1 finding; `turnwise store check mine --repair`');
    expect(broken.status).toBe(1);

    const mended = await command('store', 'check', 'mine', '--repair', '--json');
    expect(mended.status, mended.stderr).toBe(0);
    const result = checkStoreResultSchema.parse(JSON.parse(mended.stdout));
    expect(result).toMatchObject({
      found: { findings: [{ kind: 'bm25-lost' }] },
      left: { papers: 2, findings: [] },
      lost: [],
    });
  });

  it('drops a store that no run uses', async () => {
    writeFileSync(join(home, 'one.jsonl'), '{"uuid":"a","question":"Why?"}\n');
    const run = ['run', 'one.jsonl', '--store', 'mine', '--run', 'one', '--model', 'gpt-4o-mini'];
    expect(
      await command(...run, '--model-attempts', '1000', '--detach', '--no-probe'),
    ).toMatchObject({
      status: 0,
    });
    const refused = await command('store', 'rm', 'mine', '--yes');
    expect(refused.stderr).toContain('run one uses store mine: let it end, or end it with');
    expect(refused.status).toBe(2);
    await command('cancel', 'one');

    const dropped = await command('store', 'rm', 'mine', '--yes');
    expect(dropped).toMatchObject({ status: 0, stdout: 'removed store mine with 2 papers\n' });
    const stores = JSON.parse((await command('store', 'list', '--json')).stdout) as unknown;
    expect(storeManifestSchema.array().parse(stores)).toMatchObject([{ name: 'other' }]);
    expect(await command('store', 'check', 'other')).toMatchObject({ status: 0 });
    expect(await command('store', 'check', 'mine')).toMatchObject({ status: 2 });
  });
});
