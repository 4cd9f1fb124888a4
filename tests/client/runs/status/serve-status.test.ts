import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { RunFolder } from '../../../../client/runs/run-folder.js';
import { takeSnapshot, type RunSnapshot } from '../../../../client/runs/status/run-snapshot.js';
import { serveStatus, type RenderStatus } from '../../../../client/runs/status/serve-status.js';
import {
  askForStatus,
  isTrusted,
  statusSocket,
} from '../../../../client/runs/status/status-socket.js';
import { resultLines } from '../../../../client/views/print-sections.js';
import { statusDocument, statusResult } from '../../../../client/views/progress/status-text.js';
import { plainText } from '../../../../client/views/terminal.js';
import { runIdSchema } from '../../../../domain/ids.js';
import { environmentSchema } from '../../../../domain/settings.js';
import { exampleEnd, sampleKey } from '../../../support/runs/example-records.js';
import { runInFolder } from '../../../support/runs/run-in-folder.js';

/** An ended run: its files are enough. */
const { home, manifest, runFiles } = runInFolder(
  [
    { uuid: 'a', question: 'A?' },
    { uuid: 'b', question: 'B?' },
  ],
  (example) => ({ ...example, status: 'done' }),
);
const { run } = manifest;
const noServer = '127.0.0.1:1';
const render: RenderStatus = (snapshot, format, width) =>
  Promise.resolve(resultLines(format, statusResult(snapshot), width));
const statusLines = (taken: RunSnapshot) => resultLines('text', statusResult(taken), Infinity);

// Where TMPDIR is long, the sockets of all homes are in one folder, which `serveStatus` makes.
beforeAll(() => void mkdirSync(dirname(statusSocket(home)), { recursive: true, mode: 0o700 }));

function serve(at = home): void {
  const status = serveStatus(environmentSchema.parse({ TURNWISE_HOME: at }), noServer, render);
  onTestFinished(() => status.close());
}

const snapshot = () =>
  takeSnapshot({
    run,
    folder: new RunFolder(home, run),
    ask: Promise.resolve(null),
  });

it('returns the status of a run, also when more of it has ended', async () => {
  serve();
  expect(await askForStatus(home, { run, as: 'text' })).toEqual(statusLines(await snapshot()));
  await runFiles.publish(run, [exampleEnd(sampleKey('a'))]);
  const told = await askForStatus(home, { run, as: 'text' });
  expect(plainText(told ?? [])).toContain('1 of 2 questions answered');
  expect(told).toEqual(statusLines(await snapshot()));
});

it('returns it for the width of a terminal', async () => {
  serve();
  const told = await askForStatus(home, { run, as: 'text', width: 40 });
  expect(told).toEqual(resultLines('text', statusResult(await snapshot()), 40));
  expect(told).not.toEqual(statusLines(await snapshot()));
});

it('returns it as a document', async () => {
  serve();
  const told = await askForStatus(home, { run, as: 'json' });
  const {
    seenAt,
    sections: _sections,
    ...document
  } = JSON.parse(plainText(told ?? [])) as Record<string, unknown>;
  expect(seenAt).toMatch(/^\d{4}-/);
  const taken = JSON.parse(JSON.stringify(statusDocument(await snapshot()))) as object;
  expect(taken).toEqual({ ...document, seenAt: expect.any(String) as unknown });
});

it('closes the connection where it has no answer', async () => {
  serve();
  expect(await askForStatus(home, { run: runIdSchema.parse('no-such'), as: 'text' })).toBe(null);
  const socket = connect(statusSocket(home));
  socket.end('rubbish\n');
  expect(await text(socket)).toBe('');
});

it('has no socket before and after, and replaces the socket of a killed command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-status-'));
  expect(await askForStatus(folder, { run, as: 'text' })).toBe(null);
  writeFileSync(statusSocket(home), '');
  expect(await askForStatus(home, { run, as: 'text' })).toBe(null);
  const status = serveStatus(environmentSchema.parse({ TURNWISE_HOME: home }), noServer, render);
  expect(plainText((await askForStatus(home, { run, as: 'text' })) ?? [])).toContain(`run ${run}`);
  await status.close();
  expect(existsSync(statusSocket(home))).toBe(false);
  expect(await askForStatus(home, { run, as: 'text' })).toBe(null);
});

it('is not awaited for longer than the timeout', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-status-'));
  const silent = createServer();
  // Where TMPDIR is long, the socket is in another folder.
  mkdirSync(dirname(statusSocket(folder)), { recursive: true, mode: 0o700 });
  await new Promise<void>((resolve) => silent.listen(statusSocket(folder), resolve));
  expect(await askForStatus(folder, { run, as: 'text' }, 50)).toBe(null);
  silent.close();
});

it('answers where the path of the home is too long for a socket', async () => {
  const long = join(mkdtempSync(join(tmpdir(), 'turnwise-status-')), 'x'.repeat(120));
  const ended = runInFolder([], (example) => ({ ...example, status: 'done' }), long).manifest;
  serve(long);
  const told = await askForStatus(long, { run: ended.run, as: 'text' });
  expect(plainText(told ?? [])).toContain(`run ${ended.run}`);
});

it('does nothing where no socket can be opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-status-'));
  const taken = statusSocket(folder);
  mkdirSync(taken, { recursive: true });
  onTestFinished(() => rmSync(taken, { recursive: true }));
  serve(folder);
  expect(await askForStatus(folder, { run, as: 'text' })).toBe(null);
});

it('trusts a socket outside the home only where no other user can write', () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-status-'));
  const socket = join(folder, 'a.sock');
  expect(isTrusted(socket, home)).toBe(true);
  chmodSync(folder, 0o777);
  expect(isTrusted(socket, home)).toBe(false);
  expect(isTrusted(socket, folder)).toBe(true);
  expect(isTrusted(join(folder, 'missing', 'a.sock'), home)).toBe(false);
});
