import { afterEach, beforeEach, vi } from 'vitest';

export interface CapturedOutput {
  stdout: string;
  stderr: string;
}

/** Has what is printed by `console` kept instead, anew for each test of a file or a block. */
export function captureOutput(): CapturedOutput {
  const output: CapturedOutput = { stdout: '', stderr: '' };
  beforeEach(() => {
    Object.assign(output, { stdout: '', stderr: '' });
    vi.spyOn(console, 'log').mockImplementation(
      (text: string) => void (output.stdout += `${text}\n`),
    );
    vi.spyOn(console, 'error').mockImplementation(
      (text: string) => void (output.stderr += `${text}\n`),
    );
  });
  afterEach(() => void vi.restoreAllMocks());
  return output;
}
