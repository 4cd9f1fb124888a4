import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paperSchema } from '../../domain/extraction/paper.js';
import {
  accessibilityFindings,
  startBrowser,
  type Browser,
  type Page,
} from '../support/browser/browser.js';
import { turnwise, type Finished } from '../support/command-line.js';
import { lanternPaper } from '../support/stores/example-papers.js';
import { readPaper, writeStore } from '../support/stores/kept-paper.js';

const attack = '</script><img src=x onerror="window.attacked = true">';
const home = mkdtempSync(join(tmpdir(), 'turnwise-paper-page-'));
const paper = readPaper({ title: attack, abstract: attack });
const pdf = lanternPaper();
writeStore(home, 'mine', [{ file: 'geese.pdf', paper, pdf }]);
writeStore(home, 'other', [{ file: 'geese.pdf', paper: readPaper({ footnotes: [] }), pdf }]);

const show = (...args: string[]): Promise<Finished> =>
  turnwise(['store', 'show', 'mine', ...args], { TURNWISE_HOME: home }).finished;

describe('turnwise store show --paper', () => {
  it('prints what was read, or all of it as JSON', async () => {
    const { status, stdout } = await show('--paper', 'geese');
    expect(status).toBe(0);
    expect(stdout).toContain('2 sections, 1 table, 1 figure, 1 equation, 1 reference, 1 footnote');
    expect(stdout).toMatch(/ {2}Table 1 +p\. 1 +2 × 2 +Table 1: Geese by pond\./);
    const json = await show('--paper', 'geese.pdf', '--json');
    expect(paperSchema.parse(JSON.parse(json.stdout))).toEqual(paper);
  });

  it('prints what differs from another store', async () => {
    const { stdout } = await show('--paper', 'geese', '--against', 'other');
    expect(stdout).toMatch(/front matter +differs +p\. 1/);
    expect(stdout).toMatch(/footnote +only in mine +p\. 1 +Footnote 1/);
    expect(stdout).toContain('6 of 8 items are the same in mine and other');
  });

  it.each([
    ['an unknown paper', ['--paper', 'swans'], /store mine has no paper 'swans'/],
    ['an unknown other store', ['--paper', 'geese', '--against', 'none'], /no store 'none'/],
    ['a page of no paper', ['--html', 'a.html'], /--html needs --paper/],
    ['pages of no file', ['--paper', 'geese', '--pages', '1'], /--pages needs --html/],
    ['odd pages', ['--paper', 'geese', '--html', 'a.html', '--pages', '2-1'], /numbers from 1/],
    [
      'pages that it lacks',
      ['--paper', 'geese', '--html', join(home, 'a.html'), '--pages', '9'],
      /geese\.pdf has 2 pages, none of these/,
    ],
    [
      'a file where none can be',
      ['--paper', 'geese', '--html', join(home, 'no/such/folder/a.html')],
      /a\.html cannot be used/,
    ],
  ])('refuses %s', async (_name, args, sentence) => {
    const { status, stderr } = await show(...args);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/^\s+at .+:\d+/m);
    expect(status).toBe(2);
  });
});

describe('the page of a paper in a browser', () => {
  let browser: Browser;
  const file = join(home, 'geese.html');
  const compared = join(home, 'difference.html');
  beforeAll(async () => {
    expect(await show('--paper', 'geese', '--html', file)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`wrote ${file}: 2 pages`) as string,
    });
    const against = ['--against', 'other', '--pages', '1'];
    expect(await show('--paper', 'geese', '--html', compared, ...against)).toMatchObject({
      status: 0,
    });
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  async function open(at: string): Promise<{
    readonly page: Page;
    readonly complaints: readonly string[];
    readonly requests: readonly string[];
  }> {
    const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message: { text: () => string }) => complaints.push(message.text()));
    page.on('pageerror', (error: Error) => complaints.push(error.message));
    page.on('request', (request: { url: () => string }) => requests.push(request.url()));
    await page.goto(pathToFileURL(at).href);
    return { page, complaints, requests };
  }

  it('asks for nothing but itself, runs nothing from the PDF, and has its pictures', async () => {
    const { page, complaints, requests } = await open(file);
    await page.locator('.sheet img >> nth=0').waitFor();
    expect(
      await page.evaluate(
        `document.querySelector('.sheet img').decode().then(() => document.querySelector('.sheet img').naturalWidth)`,
      ),
    ).toBe(935);
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(file).href]);
    expect(complaints).toEqual([]);
    expect(await page.evaluate('window.attacked ?? null')).toBeNull();
    expect(await page.locator('h1').innerText()).toBe(attack);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFindings(page)).toEqual([]);
    }
  });

  it('leads from a box to its item, and marks both', async () => {
    const { page } = await open(file);
    const marked = (): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll('.row [data-item]')]
          .filter((part) => getComputedStyle(part).getPropertyValue('--marked-fill') !== '')
          .map((part) => part.getAttribute('data-item'))`,
      );
    await page.locator('svg a[data-item="table-1"] rect').click();
    expect(await page.evaluate('location.hash')).toBe('#table-1');
    expect(await marked()).toEqual(['table-1', 'table-1']);
    await page.goto(`${pathToFileURL(file).href}#page-1`);
    await page.locator('#figure-1 h4 a').focus();
    expect(await marked()).toContain('figure-1');
    expect(await page.locator('script').count()).toBe(0);
  });

  it('switches kinds off, on the pages and beside them', async () => {
    const { page } = await open(file);
    const isShown = (): Promise<readonly boolean[]> =>
      Promise.all(
        ['rect.k-table', '.item.k-table', '.item.k-figure'].map((part) =>
          page.locator(part).isVisible(),
        ),
      );
    expect(await isShown()).toEqual([true, true, true]);
    await page.locator('#show-table').click();
    expect(await isShown()).toEqual([false, false, true]);
  });

  it('shows only the differences of two stores where that is wanted', async () => {
    const { page, complaints } = await open(compared);
    expect(await page.locator('.note').allInnerTexts()).toEqual(['1 of 2 pages are shown.']);
    await page.locator('#only-differences').click();
    expect(await page.locator('#table-1').isVisible()).toBe(false);
    expect(await page.locator('#footnote-1').isVisible()).toBe(true);
    expect(await page.locator('#footnote-1 .mark').innerText()).toBe('not in other');
    expect(complaints).toEqual([]);
  });
});
