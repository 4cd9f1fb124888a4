import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { startBrowser, type Browser } from '../../support/browser/browser.js';
import {
  checkout,
  newHome,
  turnwise,
  type Running,
  untilReady,
} from '../../support/command-line.js';

const home = newHome();
const settings = { TURNWISE_HOME: home };
const examples = join(checkout, 'examples');
let model: SimulatedModel;
let up: Running;
let view: Running;
let browser: Browser;
let url = '';

beforeAll(async () => {
  // Calls that last until the test has seen and done what it wants.
  model = await startSimulatedModel({ script: join(examples, 'replies.json'), latencyMs: 2_000 });
  up = turnwise(['up'], settings);
  await untilReady(up);
  const papers = join(examples, 'papers');
  const ingested = await turnwise(['store', 'add', papers, '--store', 'papers'], settings).finished;
  expect(ingested).toMatchObject({ status: 0 });
  view = turnwise(['view', '--no-open', '--json'], settings);
  const printed = await view.says(/.*\n/);
  ({ url } = JSON.parse(printed) as { readonly url: string });
  const dataset = join(examples, 'questions.jsonl');
  const run = ['run', dataset, '--store', 'papers', '--run', 'live', '--model', 'simulated'];
  const how = ['--epochs', '40', '--concurrency', '2', '--detach', '--yes', '--no-probe'];
  const started = turnwise([...run, ...how], { ...settings, OPENAI_BASE_URL: model.url });
  expect(await started.finished).toMatchObject({ status: 0 });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  view.child.kill('SIGINT');
  await view.finished;
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
});

it('follows a run of real workers, pauses it by keyboard, resumes and cancels it', async () => {
  const page = await browser.newPage();
  await page.goto(url);
  await page.locator('.state.running').waitFor();
  await page.locator('.runs a:has-text("live")').click();
  await page.locator('.turns li >> nth=0').waitFor();
  await page.locator('dd:has-text("2 of at most 2")').waitFor();
  await page.locator('p.faint:has-text("1 worker")').waitFor();
  expect(await page.locator('a:has-text("Temporal UI")').getAttribute('href')).toContain('live');

  const press = async (name: string): Promise<void> => {
    await page.locator(`button[data-action=${name}]`).focus();
    await page.keyboard.press('Enter');
    // A button of a dialog that is not open yet takes no focus.
    await page.locator(`dialog:has-text("${name}")`).waitFor();
    await page.locator('dialog button[type=submit]').focus();
    await page.keyboard.press('Enter');
  };
  await press('Pause');
  await page.locator('[role=status]:has-text("run live is paused")').waitFor();
  await page.locator('.note:has-text("paused")').waitFor();
  const status = await turnwise(['status', 'live', '--json'], settings).finished;
  expect(JSON.parse(status.stdout)).toMatchObject({ live: { summary: { heldBy: 'paused' } } });

  await press('Resume');
  await page.locator('[role=status]:has-text("run live goes on")').waitFor();
  await page.locator('button[data-action=Pause]').waitFor();

  // A conversation with its turns so far.
  await page.locator('select[name=outcome]').selectOption('not-ended');
  await page.locator('.turns li a >> nth=0').click();
  await page.locator('.turn >> nth=0').waitFor();
  await page.goBack();

  await press('Cancel');
  await page.locator('.kind:has-text("stopped")').waitFor();
  await page.locator('main p:has-text("stopped: cancelled")').waitFor();
  const manifest = JSON.parse(
    readFileSync(join(home, 'runs', 'live', 'manifest.json'), 'utf8'),
  ) as { readonly status: string };
  expect(manifest.status).toBe('cancelled');
});
