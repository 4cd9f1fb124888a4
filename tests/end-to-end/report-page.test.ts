import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replyFile } from '../../domain/runs/run-manifest.js';
import {
  accessibilityFindings,
  startBrowser,
  type Browser,
  type Page,
} from '../support/browser/browser.js';
import { turnwise } from '../support/command-line.js';
import { exampleObservation, exampleReply, sampleKey } from '../support/runs/example-records.js';
import { recordedRun } from '../support/runs/recorded-run.js';

const attack = '</script><img src=x onerror="window.attacked = true">\u202Egnirts';
/** A picture of one point. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let browser: Browser;
let address = '';
let comparison = '';

beforeAll(async () => {
  const { home, manifest, runFiles } = await recordedRun();
  const key = sampleKey('open');
  const { run } = manifest;
  await runFiles.saveReply(
    run,
    key,
    exampleReply(2, {
      kind: 'RetrieveFromDatabase',
      sql: `select title, n from papers where title = '${attack}' and n > 1`,
    }),
  );
  await runFiles.saveObservation(run, key, {
    ...exampleObservation(
      2,
      `${JSON.stringify({ title: attack, n: 2 })}\n\nIn total, 1 row is displayed in JSON format.`,
    ),
    image: { mimeType: 'image/png', base64: picture },
  });
  await runFiles.saveReply(run, key, exampleReply(3, null, { raw: attack, reasoning: attack }));
  const file = join(home, 'a report.html');
  const { finished } = turnwise(['report', run, '--out', file], { TURNWISE_HOME: home });
  expect(await finished).toMatchObject({ status: 0, stderr: '' });
  address = pathToFileURL(file).href;
  const other = join(home, 'runs', 'other');
  cpSync(join(home, 'runs', run), other, { recursive: true });
  writeFileSync(join(other, 'manifest.json'), JSON.stringify({ ...manifest, run: 'other' }));
  const reply = join(other, replyFile(key, 2));
  writeFileSync(reply, readFileSync(reply, 'utf8').replace('n > 1', 'n > 2'));
  const page = join(home, 'comparison.html');
  const compared = turnwise(['compare', run, 'other', '--out', page], { TURNWISE_HOME: home });
  expect(await compared.finished).toMatchObject({ status: 0 });
  comparison = pathToFileURL(page).href;
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A page, with all it complains of and asks for. */
async function open(
  options?: Parameters<Browser['newPage']>[0],
  at = address,
): Promise<{ readonly page: Page; readonly complaints: string[]; readonly requests: string[] }> {
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message: { text: () => string }) => complaints.push(message.text()));
  page.on('pageerror', (error: Error) => complaints.push(error.message));
  page.on('request', (request: { url: () => string }) => requests.push(request.url()));
  await page.goto(at);
  return { page, complaints, requests };
}

const shown = (page: Page): Promise<readonly string[]> =>
  page.locator('.rows-body a').allInnerTexts();

/** The link that leads to a question. */
const link = (uuid: string, epoch: number): string =>
  `.rows-body a[href="#/runs/a-run/questions/${uuid}/${epoch}"]`;

const count = (page: Page): Promise<string> => page.locator('form.filter output').innerText();

describe('a report in a browser', () => {
  it('asks for nothing but itself, and complains of nothing', async () => {
    const { page, complaints, requests } = await open();
    await page.locator(link('open', 1)).click();
    await page.locator('.observation img').waitFor();
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([address]);
    expect(complaints).toEqual([]);
  });

  it('sorts by any column, by mouse and by keyboard, with missing values last', async () => {
    const { page } = await open();
    const header = page.locator('.rows-head [role=columnheader]:has-text("score")');
    const scores = (): Promise<readonly string[]> =>
      page.locator('.rows-body [data-name=score]').allInnerTexts();
    expect(await header.getAttribute('aria-sort')).toBeNull();
    await page.locator('.rows-head [role=columnheader]:has-text("score") button').click();
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    expect((await scores()).slice(0, 5)).toEqual(['0.000', '0.000', '0.000', '1.000', '–']);
    await page.locator('.rows-head [role=columnheader]:has-text("score") button').focus();
    await page.keyboard.press('Enter');
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    expect((await scores()).slice(0, 5)).toEqual(['1.000', '0.000', '0.000', '0.000', '–']);
  });

  it('filters by text, outcome, verdict and tag, and counts what is left', async () => {
    const { page } = await open();
    expect(await count(page)).toBe('12 of 12 shown');
    await page.locator('select[name=outcome]').selectOption('infra-error');
    expect(await shown(page)).toEqual(['And now?']);
    await page.locator('button:has-text("show all")').click();
    await page.locator('select[name=verdict]').selectOption('needs-judge');
    expect(await shown(page)).toEqual(['Why?']);
    await page.locator('button:has-text("show all")').click();
    await page.locator('select[name=tag]').selectOption('a,b');
    await page.locator('input[name=question-text]').fill('HOW MANY');
    expect(await count(page)).toBe('2 of 12 shown');
    await page.locator('button:has-text("show all")').click();
    await page.locator('form.filter output:has-text("12 of 12")').waitFor();
  });

  it('opens a conversation with its SQL laid out, its rows as a table and its picture', async () => {
    const { page } = await open();
    await page.locator(link('open', 1)).click();
    await page.locator('#app h1:has-text("Still there?")').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    expect(await page.locator('pre.sql >> nth=1').innerText()).toMatch(
      /^SELECT\n {2}title,\n {2}n\nFROM/,
    );
    expect(await page.locator('.observation th').allInnerTexts()).toEqual(['title', 'n']);
    expect(await page.locator('.observation td').allInnerTexts()).toEqual([
      attack.replace('\u202E', '[U+202E]'),
      '2',
    ]);
    await page.locator('.observation img').waitFor();
    expect(await page.evaluate(`document.querySelector('.observation img').naturalWidth`)).toBe(1);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.locator('.failure').innerText()).toContain('could not be read');
  });

  it('shows the answer beside the gold', async () => {
    const { page } = await open();
    await page.locator(link('right', 2)).click();
    await page.locator('#app .end').waitFor();
    expect(await page.locator('.end .answer dd').innerText()).toBe('21');
    expect(await page.locator('.end .gold dd').innerText()).toBe('20');
  });

  it('goes from one question that the filter leaves to the next, and back', async () => {
    const { page } = await open();
    await page.locator('select[name=outcome]').selectOption('not-ended');
    await page.locator('.rows-body a >> nth=0').click();
    await page.locator('nav.steps:has-text("1 of 6")').waitFor();
    await page.locator('nav.steps a:has-text("next")').click();
    await page.locator('nav.steps:has-text("2 of 6")').waitFor();
    await page.keyboard.press('j');
    await page.locator('nav.steps:has-text("3 of 6")').waitFor();
    await page.keyboard.press('k');
    await page.locator('nav.steps:has-text("2 of 6")').waitFor();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.locator('#overview').waitFor();
    expect(await page.locator('#app').isVisible()).toBe(false);
    expect(await count(page)).toBe('6 of 12 shown');
  });

  it('runs nothing that a model wrote, nor anything that found its way into the page', async () => {
    const { page } = await open();
    await page.locator(link('open', 1)).click();
    await page.locator('#app h1').waitFor();
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img id="late" src="data:," onerror="window.attacked = true">')`,
    );
    await page.evaluate(`new Promise((resolve) => setTimeout(resolve, 100))`);
    expect(await page.evaluate('window.attacked ?? null')).toBeNull();
    expect(await page.locator('#app img').count()).toBe(1);
  });

  it('is light or dark as the reader asks, and plain in print', async () => {
    const { page } = await open({ colorScheme: 'dark' });
    const paper = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    const inDark = await paper();
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await paper()).not.toBe(inDark);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await paper()).toBe('rgb(255, 255, 255)');
    expect(await page.locator('form.filter').isVisible()).toBe(false);
    expect(await shown(page)).toHaveLength(12);
  });

  it('has the score, the ledger, the plots and every question without JavaScript', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    expect(await page.locator('.headline .number').innerText()).toBe('0.250');
    expect(await page.locator('.tables caption').allInnerTexts()).toContain('By outcome');
    expect(await page.locator('figure svg >> nth=0').isVisible()).toBe(true);
    expect(await page.locator('noscript tbody tr').count()).toBe(12);
    expect(await page.locator('noscript').innerText()).toContain('need JavaScript');
  });

  it('names every region, heading and control for those who do not see it', async () => {
    const { page } = await open();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFindings(page)).toEqual([]);
    }
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('input, select')].every((field) => field.closest('label'))`,
      ),
    ).toBe(true);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('th')].every((cell) => cell.scope !== '')`,
      ),
    ).toBe(true);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('main')].filter((main) => main.checkVisibility()).length`,
      ),
    ).toBe(1);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('to the questions');
  });
});

describe('a comparison in a browser', () => {
  it('shows both conversations of a question, with the first turn marked that differs', async () => {
    const { page, complaints } = await open({}, comparison);
    await page.locator('a[href="#/compare/a-run/other/open/1"]').click();
    await page.locator('#app .side-name >> nth=1').waitFor();
    expect(await page.locator('.side-name').allInnerTexts()).toEqual(['a-run', 'other']);
    expect(await page.locator('.sides.differs').count()).toBe(1);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.locator('.sides.differs pre.sql').allInnerTexts()).toEqual([
      expect.stringContaining('n > 1'),
      expect.stringContaining('n > 2'),
    ]);
    expect(complaints).toEqual([]);
  });

  it('filters by what changed', async () => {
    const { page } = await open({}, comparison);
    await page.locator('select[name=change]').selectOption('same');
    expect(await count(page)).toBe('4 of 12 shown');
  });
});
