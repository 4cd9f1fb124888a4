import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  actionPaths,
  pagePaths,
  partPaths,
  pathTo,
} from '../../../client/views/page/page-paths.js';
import {
  numberColumn,
  questionColumn,
  questionTable,
  textColumn,
} from '../../../client/views/page/question-table.js';
import type { RunData } from '../../../client/views/web/page-data.js';
import { viewAssets } from '../../../client/views/web/view-assets.js';
import { startViewServer, type ViewServer } from '../../../client/views/web/view-server.js';
import { startBrowser, type Browser } from '../../support/browser/browser.js';
import { liveRunData } from '../../support/runs/live-run-data.js';
import { isWithin, openPage, type OpenedPage } from '../../support/browser/view-in-browser.js';

let browser: Browser;
/** A run under way whose state the test sets. */
let state: RunData = liveRunData();
const acted: { readonly path: string; readonly body: unknown }[] = [];
let live: ViewServer;

const rows = Array.from({ length: 10_000 }, (_, at) => ({
  uuid: `q${at}`,
  epoch: 1,
  question: `Question ${at}, whose text is as long as that of most questions about papers is`,
  outcome: at % 10 === 0 ? 'infra-error' : 'answered',
  score: at % 3 === 0 ? 0 : 1,
}));

const questions = questionTable<(typeof rows)[number]>({
  caption: 'Questions',
  columns: [
    questionColumn(({ uuid }) => pathTo(pagePaths.question, { run: 'live', uuid, epoch: 1 })),
    textColumn('outcome', ({ outcome }) => outcome),
    numberColumn('score', ({ score }) => score, String),
  ],
  rows,
  filters: {
    outcome: ({ outcome }) => [outcome],
    score: ({ score }) => [score === 0 ? 'zero' : 'full'],
  },
});

beforeAll(async () => {
  live = await startViewServer({
    port: 0,
    assets: viewAssets(),
    routes: {
      pages: [
        {
          path: pagePaths.run,
          load: () => Promise.resolve({ data: state, refreshMs: 50 }),
        },
      ],
      parts: [
        {
          path: partPaths.questions,
          load: () => Promise.resolve({ data: questions, refreshMs: null }),
        },
      ],
      actions: [actionPaths.pause, actionPaths.tune].map((path) => ({
        path,
        act: (_, body) => {
          acted.push({ path, body });
          return Promise.resolve('run live is paused: 3 of 40 questions ended');
        },
      })),
      documents: [],
    },
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await live.close();
});

const open = (options?: Parameters<Browser['newPage']>[0]): Promise<OpenedPage> =>
  openPage(browser, live.url, '/runs/live', options);

describe('a run under way', () => {
  it('shows what happens as it happens', async () => {
    state = liveRunData();
    const { page, complaints } = await open();
    await page.locator('.progress:has-text("3 of 40")').waitFor();
    const shown = await page.locator('main').innerText();
    for (const text of [
      '5 of at most 8, 1 waiting',
      '$0.12 of $2.00 spent',
      'about 130 requests a minute',
      'q7 after turn 3',
      'RetrieveFromDatabase',
    ]) {
      expect(shown).toContain(text);
    }
    state = liveRunData({
      ended: 4,
      failed: 1,
      failures: [{ name: 'ModelUnavailable', count: 1 }],
    });
    await page.locator('.progress:has-text("4 of 40")').waitFor();
    await page.locator('th:has-text("ModelUnavailable")').waitFor();
    await page.locator('button:has-text("Retry")').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is paused by keyboard, after a confirmation', async () => {
    state = liveRunData();
    acted.length = 0;
    const { page } = await open();
    const pause = page.locator('button[data-action=Pause]');
    await pause.waitFor();
    await pause.focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog:has-text("Pause live?")').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'hidden' });
    expect(acted).toEqual([]);
    expect(await page.evaluate('document.activeElement.dataset.action')).toBe('Pause');
    await page.keyboard.press('Enter');
    // A button of a dialog that is not open yet takes no focus.
    await page.locator('dialog:has-text("Pause live?")').waitFor();
    await page.locator('dialog button[type=submit]').focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=status]:has-text("run live is paused")').waitFor();
    expect(acted).toEqual([{ path: actionPaths.pause, body: { now: false } }]);
    expect(await page.evaluate('document.activeElement.dataset.action')).toBe('Pause');
  });

  it('asks again at once after a dialog was left', async () => {
    state = liveRunData();
    const { page } = await open();
    await page.locator('button[data-action=Pause]').click();
    await page.locator('dialog:has-text("Pause live?")').waitFor();
    // Before the browser says that the dialog was closed.
    await page.evaluate(
      `document.querySelector('dialog').close(); document.querySelector('button[data-action=Pause]').click();`,
    );
    await page.locator('dialog:has-text("Pause live?")').waitFor();
    await page.locator('dialog button:has-text("Leave it")').click();
    await page.locator('dialog').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.dataset.action')).toBe('Pause');
  });

  it('is tuned by the fields that were changed', async () => {
    state = liveRunData();
    acted.length = 0;
    const { page } = await open();
    await page.locator('button[data-action=Tune]').click();
    await page.locator('dialog button[type=submit]').click();
    await page.locator('dialog [role=alert]:has-text("Nothing was changed")').waitFor();
    await page.locator('dialog input[name=concurrency]').fill('20');
    await page.locator('dialog input[name=budgetUsd]').fill('none');
    await page.locator('dialog button[type=submit]').click();
    await page.locator('dialog').waitFor({ state: 'hidden' });
    expect(acted).toEqual([
      { path: actionPaths.tune, body: { concurrency: '20', budgetUsd: 'none' } },
    ]);
  });

  it('keeps what is typed while the run goes on', async () => {
    state = liveRunData();
    const { page } = await open();
    await page.locator('button[data-action=Tune]').click();
    await page.locator('dialog input[name=concurrency]').fill('1');
    for (const ended of [5, 6]) {
      state = liveRunData({ ended, state: ended === 5 ? 'paused' : 'running' });
      await page.locator(`strong:has-text("${ended}")`).waitFor();
    }
    expect(await page.locator('dialog input[name=concurrency]').inputValue()).toBe('1');
  });

  it('scrolls ten thousand questions without jumps', async () => {
    state = liveRunData();
    const { page } = await open();
    await page.locator('.rows-body .row >> nth=0').waitFor();
    const box = `document.querySelector('.question-rows')`;
    const height = await page.evaluate(`${box}.scrollHeight`);
    for (const at of [0, 5_000, 9_990]) {
      await page.evaluate(`${box}.scrollTop = ${at} * 32`);
      await page.locator(`.row[data-at="${at}"]`).waitFor();
      expect(
        await page.evaluate(
          `[...document.querySelectorAll('.rows-body .row')].every((row) => row.offsetTop === row.dataset.at * 32 && row.offsetHeight === 32)`,
        ),
      ).toBe(true);
      expect(await page.evaluate(`${box}.scrollHeight`)).toBe(height);
    }
    expect(await page.locator('.rows-body .row').count()).toBeLessThan(100);
    await page.locator('.row[data-at="9990"] a').focus();
    await page.keyboard.press('End');
    await page.locator('.row[data-at="9999"] a:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator('.row[data-at="9998"] a:focus').waitFor();
    await page.keyboard.press('Home');
    await page.locator('.row[data-at="0"] a:focus').waitFor();
    expect(await page.evaluate(`${box}.scrollTop`)).toBe(0);
    await page.locator('select[name=score]').selectOption('zero');
    await page.locator('output:has-text("3,334 of 10,000 shown")').waitFor();
  });
  it('fits a narrow screen with a run under way', async () => {
    state = liveRunData();
    const { page } = await open({ viewport: { width: 360, height: 740 } });
    await page.locator('.rows-body .row >> nth=0').waitFor();
    expect(await isWithin(page)).toBe(true);
    await page.locator('button[data-action=Tune]').click();
    await page.locator('dialog').waitFor();
    expect(await isWithin(page)).toBe(true);
  });
});
