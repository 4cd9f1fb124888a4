import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunFolder } from '../../../client/runs/run-folder.js';
import { writeReport } from '../../../client/views/page/write-page.js';
import { runIdSchema } from '../../../domain/ids.js';
import {
  accessibilityFindings,
  startBrowser,
  type Browser,
  type Page,
} from '../../support/browser/browser.js';
import { hostile, threeModes } from '../../support/runs/database-runs.js';

let browser: Browser;
let address = '';

beforeAll(async () => {
  const { home, runs } = threeModes();
  const folders = runs.map((run) => new RunFolder(home, runIdSchema.parse(run)));
  const file = join(home, 'page.html');
  await writeReport(folders, file);
  address = pathToFileURL(file).href;
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A page, with all it complains of and asks for. */
async function open(hash = ''): Promise<{
  readonly page: Page;
  readonly complaints: string[];
  readonly requests: string[];
}> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message: { text: () => string }) => complaints.push(message.text()));
  page.on('pageerror', (error: Error) => complaints.push(error.message));
  page.on('request', (request: { url: () => string }) => requests.push(request.url()));
  await page.goto(`${address}${hash}`);
  return { page, complaints, requests };
}

describe('the report on database questions in a browser', () => {
  it('asks for nothing but itself, complains of nothing, and fits the window', async () => {
    const { page, complaints, requests } = await open();
    expect(await page.locator('section[aria-labelledby=figures] figure svg').count()).toBe(5);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([address]);
    expect(complaints).toEqual([]);
  });

  it('has our values beside the published ones', async () => {
    const { page } = await open();
    const rows = await page.locator('section[aria-labelledby="table-2"] tbody tr').allInnerTexts();
    expect(rows[1]).toMatch(/^a-model †\s+seq\s+sequential\s+3 of 3 \/ 3 of 3\s/);
    expect(rows[3]).toBe('published, Table 2');
    expect(rows).toHaveLength(3 + 1 + 16);
  });

  it('opens a question in two modes side by side: plan, queries with results, answer, gold, verdict, panel', async () => {
    const { page, complaints } = await open();
    await page.locator('a[href="#/compare/none/seq/q3/1"]').click();
    await page.locator('#app .sides .query >> nth=0').waitFor();
    const text = await page.locator('#app').innerText();
    for (const part of [
      'First count the loans of each branch',
      'The database was not questioned.',
      'no match: The answer names the rise',
      'The records say so',
      '(2 of 3 shown)',
      'Review of interaction planning',
      'Not reviewed.',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain(hostile);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  it('opens a single run, with the reasons of each member of a panel', async () => {
    const { page } = await open('#/runs/iter/questions/q5/1');
    await page.locator('.members summary >> nth=0').click();
    expect(await page.locator('#app').innerText()).toContain('I find this imperfect');
    expect(await page.locator('.query .observation table').count()).toBe(1);
    expect(await page.locator('.end .verdict').innerText()).toContain('2 of 5');
  });

  it('filters by category and verdict', async () => {
    const { page } = await open();
    await page.locator('form.filter select[name="category"]').selectOption('interpretive');
    expect(await page.locator('form.filter output').innerText()).toBe('3 of 6 shown');
    await page.locator('form.filter select[name="verdict"]').selectOption('4 of 5');
    expect(await page.locator('form.filter output').innerText()).toBe('1 of 6 shown');
  });
});
