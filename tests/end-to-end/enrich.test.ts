import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killService } from '../../bench/chaos/command-line.js';
import { enrichmentResultSchema, type EnrichmentResult } from '../../domain/enrichment/totals.js';
import { paperTables } from '../../domain/stores/paper-tables.js';
import type { StoreManifest } from '../../domain/stores/store-manifest.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import {
  eventually,
  newHome,
  turnwise,
  type Running,
  untilReady,
} from '../support/command-line.js';
import { startHttpEndpoint } from '../support/fakes/http-endpoint.js';
import { examples } from '../support/stores/example-library.js';
import { lanternPaper } from '../support/stores/example-papers.js';
import { readRows } from '../support/stores/read-rows.js';
import { makePdf } from '../support/stores/make-pdf.js';
import { storedFile, storedManifest } from '../support/stores/store-commands.js';

const home = newHome();
const papers = join(home, 'in');
let models: readonly SimulatedModel[] = [];
let up: Running;

beforeAll(async () => {
  mkdirSync(papers);
  writeFileSync(join(papers, 'lantern.pdf'), lanternPaper());
  copyFileSync(join(examples, 'papers', 'tables-first.pdf'), join(papers, 'tables-first.pdf'));
  writeFileSync(join(papers, 'half-scanned.pdf'), halfScanned());
  up = turnwise(['up'], { TURNWISE_HOME: home });
  await untilReady(up);
  for (const store of ['undisturbed', 'killed', 'batched', 'parked', 'down'])
    await ingest(store, papers);
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await Promise.all(models.map((model) => model.close()));
});

/** The second page has a box and no text. */
const halfScanned = (): Buffer =>
  makePdf({
    title: 'Counting Geese from a Bridge',
    pages: [
      [
        { text: 'Counting Geese from a Bridge', size: 18, y: 730 },
        { text: 'Geese on a river are counted best from a bridge at dusk.', y: 690 },
      ],
      [],
    ],
  });

async function ingest(store: string, ...paths: readonly string[]): Promise<void> {
  const command = turnwise(['store', 'add', ...paths, '--store', store, '--scans', 'keep'], {
    TURNWISE_HOME: home,
  });
  const { status, stderr } = await command.finished;
  expect(status, stderr).toBe(0);
}

async function model(settings: SimulatorSettings = {}): Promise<SimulatedModel> {
  const started = await startSimulatedModel(settings);
  models = [...models, started];
  return started;
}

type Asked = Pick<SimulatedModel, 'url'>;
const both = ['--model', 'writes', '--vision-model', 'sees'];

const enrich = (store: string, { url }: Asked, ...flags: readonly string[]): Running =>
  turnwise(['store', 'enrich', store, ...flags], {
    ...{ TURNWISE_HOME: home, OPENAI_BASE_URL: url, TURNWISE_BATCH_PAUSE: '0.2' },
  });

/** An enrichment that ends, and what it says. */
async function enriched(
  store: string,
  asked: Asked,
  flags: readonly string[] = both,
  expected = 0,
): Promise<EnrichmentResult & { readonly stderr: string }> {
  const { status, stdout, stderr } = await enrich(store, asked, '--json', ...flags).finished;
  expect(status, stderr).toBe(expected);
  return { ...enrichmentResultSchema.parse(JSON.parse(stdout)), stderr };
}

const manifestOf = (store: string): StoreManifest => storedManifest(home, store);

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(store: string): Promise<Readonly<Record<string, readonly Row[]>>> {
  const path = storedFile(home, store, 'tables');
  const tables: Record<string, readonly Row[]> = {};
  for (const table of Object.keys(paperTables)) {
    tables[table] = await readRows(path, `SELECT * FROM ${table} ORDER BY ALL`);
  }
  return tables;
}

const agrees = async (store: string): Promise<void> => {
  const checked = await turnwise(['store', 'check', store], { TURNWISE_HOME: home }).finished;
  expect(checked.status, checked.stdout + checked.stderr).toBe(0);
};

describe('an enrichment', () => {
  let calls: number;
  let undisturbed: Awaited<ReturnType<typeof rowsOf>>;

  it('fills the columns that models can fill, and builds the store with them', async () => {
    const asked = await model();
    const { totals, progress, stderr } = await enriched('undisturbed', asked);
    calls = progress.calls;
    expect(asked.stats()).toMatchObject({ received: calls, distinctCompleted: calls });
    expect(stderr).toMatch(/store undisturbed, 3 papers: 1 scanned page, \d+ pages, \d+ sections/);
    expect(stderr).toMatch(/\d+ calls to writes and sees, about .* cost unknown/);
    expect(totals).toMatchObject({
      kinds: { scans: { items: 1, answered: 1 }, metadata: { items: 3, answered: 3 } },
      unusable: {},
      unpriced: calls,
    });
    undisturbed = await rowsOf('undisturbed');
    for (const { tldr, tags } of undisturbed['metadata'] ?? []) {
      expect(tldr).toMatch(/^Simulated: /);
      expect(tags).not.toEqual([]);
    }
    const summaries = (undisturbed['pages'] ?? []).map(({ page_summary }) => page_summary);
    expect(summaries.filter((summary) => summary !== null).length).toBeGreaterThan(3);
    await agrees('undisturbed');
  });

  it('reads scanned pages, whose text can be found then, and names them', async () => {
    const read = undisturbed['pages']?.find(({ page_content: text }) =>
      String(text).startsWith('Simulated text of a scan.'),
    );
    expect(read?.['page_content']).toMatch(/a picture of 1700 x 2200 dots [0-9a-f]{8}/);
    expect(read?.['page_summary']).toContain('Simulated text of a scan.');
    const chunks = undisturbed['chunks']?.filter(
      ({ ref_page_id: page }) => page === read?.['page_id'],
    );
    expect(chunks?.length).toBeGreaterThan(0);
    const shown = await turnwise(['store', 'show', 'undisturbed'], { TURNWISE_HOME: home })
      .finished;
    expect(shown.stdout).toContain('half-scanned.pdf: a model has read the text of page 2');
  });

  it('asks nothing again, and leaves the store as it is', async () => {
    const asked = await model();
    const { generation } = manifestOf('undisturbed');
    const { stderr } = await enriched('undisturbed', asked);
    expect(asked.stats().received).toBe(0);
    expect(stderr).toContain('nothing is left to be asked');
    expect(manifestOf('undisturbed').generation).toBe(generation);
  });

  it('loses nothing and asks nothing twice, whatever is killed meanwhile', async () => {
    const slow = await model({ latencyMs: 400 });
    const atATime = 3;
    const command = enrich('killed', slow, ...both, '--concurrency', String(atATime));
    const after = async (completed: number): Promise<void> => {
      await eventually(() => (slow.stats().completed >= completed ? true : null));
    };
    await after(3);
    expect(killService(home, 'worker')).toBe(true);
    await after(6);
    command.child.kill('SIGKILL');
    await command.finished;
    await after(9);
    expect(killService(home, 'temporal')).toBe(true);
    const { totals, progress } = await enriched('killed', slow);
    expect(progress).toMatchObject({ failures: [], parked: null });
    expect(totals.kinds.scans).toMatchObject({ items: 1, answered: 1 });
    expect(await rowsOf('killed')).toEqual(undisturbed);
    await agrees('killed');
    const { distinctCompleted, received } = slow.stats();
    expect(distinctCompleted).toBe(calls);
    // Calls in flight at the kills of the worker and of Temporal.
    expect(received - calls).toBeLessThanOrEqual(2 * atATime);
  });

  it('is asked in batches, each of which is paid once, whatever is killed meanwhile', async () => {
    const asked = await model({ batchMs: 2_000 });
    const command = enrich('batched', asked, ...both, '--batch');
    await eventually(() => (asked.stats().batches > 0 ? true : null));
    expect(command.output()).toContain('; in batches, each of which may take a day');
    expect(killService(home, 'worker')).toBe(true);
    command.child.kill('SIGKILL');
    await command.finished;
    expect(killService(home, 'temporal')).toBe(true);
    const { progress } = await enriched('batched', asked, [...both, '--batch']);
    expect(progress).toMatchObject({ failures: [], parked: null });
    expect(await rowsOf('batched')).toEqual(undisturbed);
    await agrees('batched');
    const { received, distinctCompleted, promptTokens, batchedPromptTokens } = asked.stats();
    expect([received, distinctCompleted]).toEqual([calls, calls]);
    expect(batchedPromptTokens).toBe(promptTokens);
  });

  it('stops at its budget, and goes on with a higher one without asking anything twice', async () => {
    const asked = await model();
    const flags = [...both, '--concurrency', '2'];
    const first = await enriched('parked', asked, [...flags, '--budget-tokens', '12000'], 4);
    expect(first.progress.parked).not.toBeNull();
    expect(first.stderr).toMatch(
      /held at the budget: .* [1-9]\d* items have no reply; the same command with a higher --budget-tokens goes on/,
    );
    const { completed, promptTokens, completionTokens } = asked.stats();
    expect(completed).toBeGreaterThan(0);
    expect(promptTokens + completionTokens).toBeLessThanOrEqual(12_000);
    // What was said is in the store already.
    await agrees('parked');
    const same = await enriched('parked', asked, [...flags, '--budget-tokens', '12000'], 4);
    expect(same.progress.spent.tokens).toBeGreaterThanOrEqual(promptTokens + completionTokens);
    await enriched('parked', asked, [...flags, '--budget-tokens', '10000000']);
    expect(await rowsOf('parked')).toEqual(undisturbed);
    expect(asked.stats()).toMatchObject({ received: calls, distinctCompleted: calls });
  });

  it('leaves columns NULL that no model has filled, and says why', async () => {
    const before = await rowsOf('down');
    const down = await startHttpEndpoint((response) => response.writeHead(401).end('{}'));
    const { stderr, totals } = await enriched('down', down, ['--model', 'writes'], 1);
    await down.close();
    expect(stderr).toMatch(/\d+ calls failed: .*401/);
    expect(stderr).toContain('the same command asks again');
    expect(totals.kinds.pages).toMatchObject({ answered: 0, unusable: 0 });
    expect(await rowsOf('down')).toEqual(before);
    expect(before['metadata']?.map(({ tldr }) => tldr)).toEqual([null, null, null]);
  });

  it('is of the papers and kinds that are named, and outlives a later ingestion', async () => {
    await ingest('grows', join(papers, 'lantern.pdf'));
    const asked = await model();
    const only = ['--model', 'writes', '--only', 'metadata', '--papers', 'lantern.pdf'];
    const { progress } = await enriched('grows', asked, only);
    expect([progress.calls, asked.stats().received]).toEqual([1, 1]);
    const { enrichment } = manifestOf('grows').papers[0] ?? {};
    expect(enrichment?.digest).toMatch(/^[0-9a-f]{32}$/);
    await ingest('grows', papers);
    const found = (await rowsOf('grows'))['metadata']?.map(({ tldr }) => tldr) ?? [];
    expect(found.filter((tldr) => tldr !== null)).toHaveLength(1);
    expect(manifestOf('grows').papers.find(({ file }) => file === 'lantern.pdf')).toMatchObject({
      enrichment,
    });
    await agrees('grows');
  });

  it('makes a paper of a scan, with the title that its first page prints', async () => {
    const scan = join(home, 'scan.pdf');
    writeFileSync(scan, makePdf({ pages: [[], []] }));
    await ingest('scans', scan);
    const before = manifestOf('scans').papers[0];
    expect(before?.title).toBe('scan.pdf');
    const { totals } = await enriched('scans', await model());
    expect(totals.kinds).toMatchObject({
      scans: { items: 2, answered: 2 },
      pages: { items: 2, answered: 2 },
      metadata: { items: 1, answered: 1 },
    });
    expect(manifestOf('scans').papers).toMatchObject([
      { paperId: before?.paperId, title: 'Simulated text of a scan.' },
    ]);
    await agrees('scans');
  });

  it.each([
    ['an unknown store', ['nowhere', ...both], /there is no store 'nowhere'/],
    ['no model', ['grows'], /needs --model, --vision-model or both/],
    [
      'figures without a model that sees',
      ['grows', '--model', 'm', '--only', 'images'],
      /--vision/,
    ],
    ['an unknown kind', ['grows', ...both, '--only', 'pages,words'], /It must be some of scans/],
    ['an unknown paper', ['grows', ...both, '--papers', 'x.pdf'], /has no paper 'x.pdf'/],
    ['a budget in dollars without prices', ['grows', ...both, '--budget-usd', '1'], /not known/],
    [
      'calls of batches that are to go a few at a time',
      ['grows', ...both, '--batch', '--concurrency', '3'],
      /--concurrency has no effect with --batch: leave it out/,
    ],
  ])('is refused for %s before anything is asked', async (_, args, message) => {
    const idle = await model();
    const { status, stderr } = await turnwise(['store', 'enrich', ...args], {
      TURNWISE_HOME: home,
      OPENAI_BASE_URL: idle.url,
    }).finished;
    expect([status, idle.stats().received]).toEqual([2, 0]);
    expect(stderr).toMatch(message);
  });

  it('is removed with its store', async () => {
    const dropped = turnwise(['store', 'rm', 'grows', '--yes'], { TURNWISE_HOME: home });
    expect((await dropped.finished).status).toBe(0);
    expect(() => manifestOf('grows')).toThrow();
  });
});
