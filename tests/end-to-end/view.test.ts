import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuestionsData, RunData } from '../../client/views/web/page-data.js';
import { pagePaths, partPaths, actionPaths } from '../../client/views/web/page-paths.js';
import { viewAssets } from '../../client/views/web/view-assets.js';
import { startViewServer, type ViewServer } from '../../client/views/web/view-server.js';
import { startBrowser, type Browser, type Page } from '../support/browser.js';
import { eventually, turnwise, type Running } from '../support/command-line.js';
import { liveRunData } from '../support/runs/live-run-data.js';
import { recordedRun } from '../support/runs/recorded-run.js';

let browser: Browser;
let command: Running;
let home = '';
let url = '';

/** A run under way whose state the test sets. */
let state: RunData = liveRunData();
const acted: { readonly path: string; readonly body: unknown }[] = [];
let live: ViewServer;

const questions: QuestionsData = {
  questions: Array.from({ length: 10_000 }, (_, at) => ({
    uuid: `q${at}`,
    epoch: 1,
    question: `Question ${at}, whose text is as long as that of most questions about papers is`,
    tags: [],
    outcome: at % 10 === 0 ? 'infra-error' : 'answered',
    verdict: 'scored',
    answer: String(at),
    score: at % 3 === 0 ? 0 : 1,
    share: at % 3 === 0 ? 0 : 1,
    turns: 3,
    costUsd: 0.01,
    ms: 1_200,
  })),
};

beforeAll(async () => {
  const recorded = await recordedRun((manifest) => ({ ...manifest, status: 'done' }));
  home = recorded.home;
  for (const run of ['other', 'third']) {
    const folder = join(home, 'runs', run);
    cpSync(recorded.folder, folder, { recursive: true });
    const startedAt = run === 'other' ? '2026-02-01T10:00:00.000Z' : '2026-03-01T10:00:00.000Z';
    writeFileSync(
      join(folder, 'manifest.json'),
      JSON.stringify({ ...recorded.manifest, run, startedAt }),
    );
  }
  command = turnwise(['view', '--no-open', '--json'], { TURNWISE_HOME: home });
  const output = await eventually(() =>
    command.output().includes('\n') ? command.output() : null,
  );
  ({ url } = JSON.parse(output) as { readonly url: string });
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
  command.child.kill('SIGINT');
  expect(await command.finished).toMatchObject({ status: 0, stderr: '' });
});

interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
}

/** The page at a path, opened by the address with the token. */
async function open(
  path: string,
  at = url,
  options?: Parameters<Browser['newPage']>[0],
): Promise<Opened> {
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message: { text: () => string }) => complaints.push(message.text()));
  page.on('pageerror', (error: Error) => complaints.push(error.message));
  page.on('request', (request: { url: () => string }) => requests.push(request.url()));
  const address = new URL(at);
  address.pathname = path;
  await page.goto(address.href);
  return { page, complaints, requests };
}

const names = (page: Page): Promise<readonly string[]> =>
  page.locator('.runs tbody th a').allInnerTexts();

const isWithin = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth');

describe('the list of runs in a browser', () => {
  it('has every run with its score, the newest first, and asks only its own server', async () => {
    const { page, complaints, requests } = await open('/');
    await page.locator('.score-cell .under:has-text("–") >> nth=2').waitFor();
    expect(await names(page)).toEqual(['third', 'other', 'a-run']);
    expect(
      await page.locator('.runs tbody td[data-name=questions] >> nth=0').innerText(),
    ).toContain('6 of 12');
    const { origin } = new URL(url);
    expect(
      requests.filter((each) => !each.startsWith('data:') && new URL(each).origin !== origin),
    ).toEqual([]);
    expect(await page.evaluate('location.search')).toBe('');
    expect(complaints).toEqual([]);
  });

  it('sorts by keyboard and filters by text', async () => {
    const { page } = await open('/');
    await page.locator('.runs thead th:has-text("run") button').focus();
    await page.keyboard.press('Enter');
    expect(await names(page)).toEqual(['a-run', 'other', 'third']);
    await page.locator('input[name=text]').fill('THIRD');
    await page.locator('output:has-text("1 of 3 shown")').waitFor();
    expect(await names(page)).toEqual(['third']);
  });

  it('compares two chosen runs, down to the conversations of a question', async () => {
    const { page, complaints } = await open('/');
    await page.locator('input[aria-label="compare a-run"]').click();
    await page.locator('input[aria-label="compare other"]').click();
    await page.locator('.chosen button:has-text("Compare")').click();
    await page.locator('h1:has-text("other against a-run")').waitFor();
    await page.locator('.verdict-words').waitFor();
    await page.locator('.compared-rows a:has-text("Still there?") >> nth=0').click();
    await page.locator('.side-name >> nth=1').waitFor();
    expect(await page.locator('.side-name').allInnerTexts()).toEqual(['a-run', 'other']);
    await page.goBack();
    await page.locator('.verdict-words').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a run that has ended', () => {
  it('shows its report, and its questions by outcome', async () => {
    const { page, complaints } = await open('/');
    await page.locator('.runs a:has-text("a-run")').click();
    await page.locator('.headline .number:has-text("0.250")').waitFor();
    await page.locator('select[name=outcome]').selectOption('infra-error');
    await page.locator('output:has-text("1 of 12 shown")').waitFor();
    expect(await page.locator('.rows-body a').allInnerTexts()).toEqual(['And now?']);
    expect(await page.locator('a:has-text("Report page")').getAttribute('href')).toBe(
      '/report/a-run',
    );
    await page.locator('button:has-text("Draw the plots")').click();
    await page.locator('.plots svg >> nth=0').waitFor();
    expect(complaints).toEqual([]);
  });

  it('opens a conversation with its SQL laid out, and goes on to the next question', async () => {
    const { page, complaints } = await open('/runs/a-run');
    await page.locator('.rows-body a:has-text("How many turns?") >> nth=0').click();
    await page.locator('h1:has-text("How many turns?")').waitFor();
    expect(await page.locator('pre.sql').innerText()).toMatch(/^SELECT\n/);
    expect(await page.locator('.end .answer dd').innerText()).toBe('20');
    expect(await page.locator('nav.steps').innerText()).toContain('1 of 12');
    await page.locator('nav.steps a:has-text("next")').click();
    await page.locator('nav.steps:has-text("2 of 12")').waitFor();
    expect(await page.locator('h1').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('says that there is no such run, or page', async () => {
    const { page } = await open('/runs/unknown');
    await page.locator('[role=alert]:has-text("there is no run unknown")').waitFor();
    await page.locator('.parts a:has-text("Runs")').click();
    await page.locator('.runs tbody tr >> nth=2').waitFor();
  });

  it('shows the report page itself, which works without access to the rest', async () => {
    const { page, complaints } = await open('/report/a-run');
    await page.locator('a[href="#q/a-run/open/1"]').click();
    await page.locator('#trajectory h1:has-text("Still there?")').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a run under way', () => {
  it('shows what happens as it happens', async () => {
    state = liveRunData();
    const { page, complaints } = await open('/runs/live', live.url);
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
    const { page } = await open('/runs/live', live.url);
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
    await page.locator('dialog button[type=submit]').focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=status]:has-text("run live is paused")').waitFor();
    expect(acted).toEqual([{ path: actionPaths.pause, body: { now: false } }]);
  });

  it('is tuned by the fields that were changed', async () => {
    state = liveRunData();
    acted.length = 0;
    const { page } = await open('/runs/live', live.url);
    await page.locator('button[data-action=Tune]').click();
    await page.locator('dialog button[type=submit]').click();
    await page.locator('dialog [role=alert]:has-text("Nothing was changed")').waitFor();
    await page.locator('dialog input[name=concurrency]').fill('20');
    await page.locator('dialog input[name=usd]').fill('');
    await page.locator('dialog button[type=submit]').click();
    await page.locator('dialog').waitFor({ state: 'hidden' });
    expect(acted).toEqual([{ path: actionPaths.tune, body: { concurrency: 20, budgetUsd: null } }]);
  });

  it('scrolls ten thousand questions without jumps', async () => {
    state = liveRunData();
    const { page } = await open('/runs/live', live.url);
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
});

describe('every page', () => {
  it.each([
    ['/', '.runs tbody tr'],
    ['/runs/a-run', '.rows-body .row'],
    ['/runs/a-run/questions/hostile/1', '.turn'],
    ['/compare/a-run/other', '.rows-body .row'],
    ['/compare/a-run/other/open/1', '.sides'],
  ])('%s fits a narrow screen, and names its controls', async (path, wanted) => {
    const { page, complaints } = await open(path, url, { viewport: { width: 360, height: 740 } });
    await page.locator(`${wanted} >> nth=0`).waitFor();
    expect(await isWithin(page)).toBe(true);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('input, select')].every((field) => field.closest('label') || field.ariaLabel)`,
      ),
    ).toBe(true);
    expect(await page.locator('main').count()).toBe(1);
    expect(await page.locator('h1').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('fits a narrow screen with a run under way', async () => {
    state = liveRunData();
    const { page } = await open('/runs/live', live.url, { viewport: { width: 360, height: 740 } });
    await page.locator('.rows-body .row >> nth=0').waitFor();
    expect(await isWithin(page)).toBe(true);
    await page.locator('button[data-action=Tune]').click();
    await page.locator('dialog').waitFor();
    expect(await isWithin(page)).toBe(true);
  });

  it('is light or dark as the reader asks', async () => {
    const { page } = await open('/', url, { colorScheme: 'dark' });
    const paper = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    const inDark = await paper();
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await paper()).not.toBe(inDark);
  });
});

describe('the command', () => {
  it('says in one sentence that a port is in use', async () => {
    const { port } = new URL(url);
    const second = turnwise(['view', '--no-open', '--port', port], { TURNWISE_HOME: home });
    expect(await second.finished).toMatchObject({
      status: 2,
      stdout: '',
      stderr: `turnwise: port ${port} is in use, or may not be used: choose another with --port, or leave --port out for a free one\n`,
    });
  });

  it('prints the address for people', async () => {
    const third = turnwise(['view', '--no-open'], { TURNWISE_HOME: home });
    const text = await eventually(() =>
      third.output().includes('Ctrl-C') ? third.output() : null,
    );
    expect(text).toMatch(
      /^turnwise view at http:\/\/127\.0\.0\.1:\d+\/\?token=\S+\nCtrl-C stops it; runs go on\.\n$/,
    );
    third.child.kill('SIGINT');
    expect((await third.finished).status).toBe(0);
  });
});
