import { createInterface } from 'node:readline';

/** Asks on the terminal. Anything but a yes is a no, and so is the end of the input. */
export async function isYes(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  // The terminal edits the line and sends Ctrl-C as a signal; readline would keep both to itself.
  const lines = createInterface({ input, terminal: false });
  output.write(`${question} [y/N] `);
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    output.write('\n');
    return false;
  } finally {
    lines.close();
  }
}
