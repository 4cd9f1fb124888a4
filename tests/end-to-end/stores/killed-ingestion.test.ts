import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { kill, servicesOf } from '../../../bench/chaos/command-line.js';
import { ingestionsFolder } from '../../../domain/stores/ingestion.js';
import { paperTables } from '../../../domain/stores/paper-tables.js';
import { eventually, newHome, turnwise, type Finished } from '../../support/command-line.js';
import { bakeryPaper, lanternPaper } from '../../support/stores/example-papers.js';
import { makePdf } from '../../support/stores/make-pdf.js';
import { readRows } from '../../support/stores/read-rows.js';
import { storeCheck, storedFile, storedManifest } from '../../support/stores/store-commands.js';

const [killed, undisturbed] = [newHome(), newHome()];
afterAll(() => {
  for (const home of [killed, undisturbed]) rmSync(home, { recursive: true, force: true });
});

const folder = join(undisturbed, 'pdfs');
const papers = 12;
/** Files that no store can hold, and why. */
const hostile: Readonly<Record<string, readonly [content: Buffer, reason: string]>> = {
  'cut.pdf': [lanternPaper().subarray(0, 900), 'cut.pdf cannot be read: it is truncated.'],
  'empty.pdf': [Buffer.alloc(0), 'empty.pdf cannot be read: it is not a PDF.'],
  'no-pages.pdf': [makePdf({ pages: [] }), 'no-pages.pdf cannot be read: it'],
  'scan.pdf': [makePdf({ pages: [[]] }), 'scan.pdf cannot be read: it contains no text'],
};

/** With so many pages that an ingestion is under way for some seconds. */
const longPaper = (index: number): Buffer =>
  makePdf({
    pages: Array.from({ length: 40 }, (_, page) => [
      ...(page === 0 ? [{ text: `The Ponds of Parish ${index}`, size: 18, y: 730 }] : []),
      ...Array.from({ length: 30 }, (_line, line) => ({
        text: `Pond ${index}-${page}-${line} holds ${line * 7} frogs and ${page} newts.`,
        y: 690 - line * 18,
      })),
    ]),
  });

function writePapers(): void {
  mkdirSync(folder);
  const write = (name: string, content: Buffer): void => {
    writeFileSync(join(folder, name), content);
  };
  write('bakery.pdf', bakeryPaper());
  write('lantern.pdf', lanternPaper());
  for (let index = 3; index <= papers; index += 1) write(`ponds-${index}.pdf`, longPaper(index));
  for (const [name, [content]] of Object.entries(hostile)) write(name, content);
}

const commandIn =
  (home: string) =>
  (...args: string[]): Promise<Finished> =>
    turnwise(args, { TURNWISE_HOME: home }).finished;
const ingest = ['store', 'add', folder, '--store', 'ponds'];

/** Ingests until `sign` shows how far it is, and kills the command, the supervisor and all services. */
async function killedAt(sign: () => boolean): Promise<void> {
  const { child } = turnwise(ingest, { TURNWISE_HOME: killed });
  await eventually(() => (sign() ? true : null));
  const running = servicesOf(killed);
  for (const { pid } of running === null ? [] : [running.supervisor, ...running.services]) {
    kill(pid);
  }
  child.kill('SIGKILL');
}

async function tablesOf(home: string): Promise<Readonly<Record<string, readonly object[]>>> {
  const tables: Record<string, readonly object[]> = {};
  for (const table of Object.keys(paperTables)) {
    const path = storedFile(home, 'ponds', 'tables');
    tables[table] = await readRows(path, `SELECT * FROM ${table} ORDER BY ALL`);
  }
  return tables;
}

it('an ingestion of which every process is killed gives the store of an undisturbed one', async () => {
  writePapers();
  const inStore = (name: string): string => join(killed, 'stores/ponds', name);
  const read = (): readonly string[] =>
    existsSync(inStore('papers')) ? readdirSync(inStore('papers')) : [];
  await killedAt(() => read().filter((name) => name.endsWith('.json')).length >= 3);
  expect(existsSync(inStore('generations'))).toBe(false);

  const both = await Promise.all([killed, undisturbed].map((home) => commandIn(home)(...ingest)));
  for (const { status, stderr } of both) {
    expect(status, stderr).toBe(2);
    for (const [, reason] of Object.values(hostile)) expect(stderr).toContain(reason);
  }
  const rows = await tablesOf(killed);
  expect(rows).toEqual(await tablesOf(undisturbed));
  expect(rows['metadata']).toHaveLength(papers);

  const [one, other] = [killed, undisturbed].map((home) => storedManifest(home, 'ponds'));
  expect(one?.papers).toHaveLength(papers);
  expect(one?.collections).toEqual(other?.collections);
  const { found } = await storeCheck(commandIn(killed), 'ponds');
  expect(found.findings).toEqual([]);
  // A later ingestion removes the lists of the one that was killed.
  const files = readdirSync(inStore('.')).filter((name) => name !== ingestionsFolder);
  expect(files.sort()).toEqual(readdirSync(join(undisturbed, 'stores/ponds')).sort());
});
