import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { z } from 'zod';
import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { plainIssue } from '../../../client/services/read-file.js';
import { UserError } from '../../../domain/user-error.js';

/** Has each test of a file stand in an empty folder with one dataset, `plain.jsonl`, and with a home of its own in `home`. */
export function inEmptyFolder(): void {
  const before = process.cwd();
  beforeEach(() => {
    z.config({ customError: plainIssue });
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-wrong-'));
    process.chdir(folder);
    vi.stubEnv('TURNWISE_HOME', join(folder, 'home'));
    vi.stubEnv('OPENAI_API_KEY', '');
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1');
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
    writeFileSync('plain.jsonl', '{"uuid":"a","question":"Why?"}\n');
  });
  afterEach(() => {
    process.chdir(before);
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
}

type Register = (program: CommandLine) => void;

/** The one sentence with which a command line is refused, with status 2. */
export async function refusalOf(register: Register, words: readonly string[]): Promise<string> {
  let printed = '';
  const program = new CommandLine('turnwise').exitOverride();
  program.configureOutput({ writeErr: (text) => (printed += text), writeOut: () => undefined });
  register(program);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      expect(error.exitCode).not.toBe(0);
      return printed.trim();
    }
    if (!(error instanceof UserError)) throw error;
    expect(error.status).toBe(2);
    return error.message;
  }
  throw new Error(`it was not refused: ${words.join(' ')}`);
}

/** Expects one clear sentence of a refused command line, with nothing of the program's inside. */
export async function expectRefusal(
  register: Register,
  words: readonly string[],
  sentence: RegExp,
): Promise<void> {
  const refusal = await refusalOf(register, words);
  expect(refusal).toMatch(sentence);
  expect(refusal.split('\n')).toHaveLength(1);
  expect(refusal).not.toMatch(/^\s+at |\bENOENT\b|\bEISDIR\b|\bZodError\b|undefined/);
}
