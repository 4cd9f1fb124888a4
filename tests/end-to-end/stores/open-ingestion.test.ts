import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { kill, servicesOf } from '../../../bench/chaos/command-line.js';
import {
  eventually,
  newHome,
  turnwise,
  untilReady,
  type Running,
} from '../../support/command-line.js';
import { makePdf } from '../../support/stores/make-pdf.js';
import { storedManifest } from '../../support/stores/store-commands.js';

const home = newHome();
const settings = { TURNWISE_HOME: home };
const folder = join(home, 'pdfs');
const papers = 10;
afterAll(() => rmSync(home, { recursive: true, force: true }));

function killAll({ child }: Running): void {
  const running = servicesOf(home);
  for (const { pid } of running === null ? [] : [running.supervisor, ...running.services]) {
    kill(pid);
  }
  child.kill('SIGKILL');
}

it('an ingestion that is open goes on when services start after each of several kills', async () => {
  mkdirSync(folder);
  for (let index = 0; index < papers; index += 1) {
    const pages = Array.from({ length: 40 }, (_, page) => [
      { text: `The Ponds of Parish ${index}`, size: 18, y: 730 },
      ...Array.from({ length: 30 }, (_line, line) => ({
        text: `Pond ${index}-${page}-${line} holds ${line * 7} frogs and ${page} newts.`,
        y: 690 - line * 18,
      })),
    ]);
    writeFileSync(join(folder, `ponds-${index}.pdf`), makePdf({ pages }));
  }
  const readFolder = join(home, 'stores/ponds/papers');
  const read = (): number =>
    existsSync(readFolder)
      ? readdirSync(readFolder).filter((name) => name.endsWith('.json')).length
      : 0;
  const ingestion = turnwise(['store', 'add', folder, '--store', 'ponds'], settings);
  await eventually(() => (read() > 0 ? true : null));
  killAll(ingestion);
  expect(existsSync(join(home, 'stores/ponds/generations'))).toBe(false);

  for (let start = 0; start < 3; start += 1) {
    const up = turnwise(['up'], settings);
    await untilReady(up);
    killAll(up);
  }
  const up = turnwise(['up'], settings);
  await untilReady(up);
  // No command waits for it.
  await eventually(() => (existsSync(join(home, 'stores/ponds/generations')) ? true : null));
  expect(storedManifest(home, 'ponds').papers).toHaveLength(papers);
  up.child.kill('SIGTERM');
  await up.finished;
});
