import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endOf } from '../../bench/servers/local-server.js';
import { checkout, eventually, newHome, systemEnvironment } from '../support/command-line.js';
import { querySql } from '../support/stores/query-sql.js';
import { temporalCli } from '../support/temporal.js';
import { codeBlocks, documents, readDocument, type CodeBlock } from '../support/markdown.js';

/** Where a reader stands: beside the examples, with a `npx` that knows turnwise. */
const folder = mkdtempSync(join(tmpdir(), 'turnwise-reader-'));
symlinkSync(join(checkout, 'examples'), join(folder, 'examples'));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(checkout, join(folder, 'node_modules/turnwise'));
writeFileSync(
  join(folder, 'npx'),
  `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(checkout, 'bin/turnwise.js')}' "$@"\n`,
);
chmodSync(join(folder, 'npx'), 0o755);

const shell: Record<string, string> = {
  ...systemEnvironment(),
  PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
  TURNWISE_HOME: newHome(),
};
symlinkSync(shell['TURNWISE_HOME'] ?? '', join(folder, '.turnwise'));
const services = join(folder, '.turnwise/services.json');
const temporalAddress = (): string =>
  (JSON.parse(readFileSync(services, 'utf8')) as { temporalAddress: string }).temporalAddress;
/** Commands that stay, each in a terminal of its own. */
const staying: ChildProcess[] = [];

beforeAll(async () => {
  // A reader with a key has a provider: here the simulated one answers at the address that the key is for.
  writeFileSync(
    join(folder, 'provider.json'),
    JSON.stringify({
      ...script('examples/replies.json'),
      ...script('examples/database-qa/replies.json'),
    }),
  );
  const provider = await runCommand('npx turnwise simulate-model --script provider.json');
  shell['OPENAI_BASE_URL'] = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(provider)?.[0] ?? '';
  // As a reader has it who gave it the address of the services that run.
  writeFileSync(
    join(folder, 'temporal'),
    `#!/bin/sh\naddress=$(sed -n 's/.*"temporalAddress": "\\(.*\\)",/\\1/p' '${services}')\nexec '${await temporalCli()}' "$@" --address "$address"\n`,
  );
  chmodSync(join(folder, 'temporal'), 0o755);
});

afterAll(() => end(staying.reverse()));

const isUp = ({ spawnargs }: ChildProcess): boolean => spawnargs.join(' ').includes('turnwise up');

async function end(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) await endOf(child, 'SIGINT');
}

const script = (path: string): object =>
  JSON.parse(readFileSync(join(checkout, path), 'utf8')) as object;

describe.each(documents().filter((path) => steps(path).length > 0))('%s', (path) => {
  // What a page exports or starts is for that page, but for the services: the next one may be read without it.
  let before: Record<string, string>;
  let running = 0;
  beforeAll(() => {
    before = { ...shell };
    running = staying.length;
  });
  afterAll(async () => {
    Object.assign(shell, before);
    const started = staying.splice(running);
    staying.push(...started.filter(isUp));
    await end(started.filter((child) => !isUp(child)));
  });

  it.each(steps(path).map((step) => [step.file ?? step.text.trim(), step] as const))(
    '%s',
    async (_name, { language, text, file }) => {
      if (file !== null) writeFileSync(join(folder, file), text);
      if (language === 'sh') await runCommand(text);
      if (language === 'sql') expect((await querySql(text, folder)).length).toBeGreaterThan(0);
    },
  );
});

interface Step extends Pick<CodeBlock, 'language' | 'file'> {
  readonly text: string;
}

/** A step a command, a query or a file. What sets up or needs containers is checked in tests/docs.test.ts. */
function steps(path: string): readonly Step[] {
  return codeBlocks(readDocument(path)).flatMap(({ language, file, lines }) => {
    if (language !== 'sh') {
      const isForReader = language === 'sql' || file !== null;
      return isForReader ? [{ language, file, text: `${lines.join('\n')}\n` }] : [];
    }
    const elsewhere = lines.some((line) => /^(npm|docker) /.test(line));
    return elsewhere ? [] : lines.map((text) => ({ language, file, text }));
  });
}

/** Runs a command to its end, or, if it stays, until it is ready. Returns what it has printed. */
async function runCommand(command: string): Promise<string> {
  const [, name, value] = /^export (\w+)=(.*)$/.exec(command) ?? [];
  if (name !== undefined && value !== undefined) {
    const options = { cwd: folder, env: shell, encoding: 'utf8' } as const;
    shell[name] = execFileSync('sh', ['-c', `printf %s ${value}`], options);
    return '';
  }
  // A worker by itself has the server that runs here, and is not waited for as long as a reader may wait.
  const isWorker = command.startsWith('npx turnwise worker');
  const env = isWorker ? { ...shell, TEMPORAL_ADDRESS: temporalAddress() } : shell;
  const sooner = isWorker ? command.replace(/(?<=--until-idle )\w+/, '2s') : command;
  // With exec, signals reach the command itself.
  const child = spawn('sh', ['-c', `exec ${sooner}`], { cwd: folder, env });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  if (/^npx turnwise (up|simulate-model|view)\b/.test(command)) {
    staying.push(child);
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(output);
      return output.includes('Ctrl-C stops') ? true : null;
    });
    return output;
  }
  const [status] = (await once(child, 'close')) as [number | null];
  expect(status, output).toBe(0);
  return output;
}
