import { z } from 'zod';
import type { GraphAnswer, GraphPort } from '../../../activities/ports/tools.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { quoteSafely } from '../model-apis/failures.js';
import { runProgram, type ProgramEnd } from './run-program.js';

/** The output of the program (docs/how-to/methods.md). It may have further keys. */
const printedSchema = z.object({
  answer: z.string(),
  costUsd: z.number().nonnegative().nullable().default(null),
});

/** An answer has at most 30,000 tokens, which is far less. */
const mostOutputBytes = 1_000_000;

/** The exit statuses of a shell that cannot find or execute the command. */
const notStarted: readonly number[] = [126, 127];
/** EX_TEMPFAIL of sysexits.h. */
const tryAgain = 75;

/**
 * Queries a graph through a program of the user, with one process for each query, JSON on stdin and JSON on stdout. The
 * messages never quote one of the `secrets`.
 */
export function createCommandGraph({
  command,
  secrets,
}: {
  /** TURNWISE_GRAPHRAG_COMMAND */
  readonly command: string | undefined;
  readonly secrets: readonly string[];
}): GraphPort {
  return {
    query: async ({ store, query, timeoutMs }, signal) => {
      if (command === undefined) {
        throw new PortFailure(
          'GraphProgramMissing',
          'This worker has no program for graph queries: start it with TURNWISE_GRAPHRAG_COMMAND set.',
        );
      }
      const stdin = `${JSON.stringify({ query, store })}\n`;
      const request = { command, stdin, timeoutMs, mostOutputBytes };
      return answerOf(await run(request, signal), timeoutMs);
    },
  };

  async function run(...args: Parameters<typeof runProgram>): Promise<ProgramEnd> {
    try {
      return await runProgram(...args);
    } catch (cause) {
      const [, signal] = args;
      signal.throwIfAborted();
      throw failure('GraphProgramUnavailable', 'cannot be started now', { cause });
    }
  }

  function answerOf(end: ProgramEnd, timeoutMs: number): GraphAnswer {
    switch (end.kind) {
      case 'exited':
        if (end.status === 0) return printed(end.stdout);
        throw statusFailure(end.status, quoteSafely(complaint(end.stderr), secrets));
      case 'killed':
        throw failure('GraphProgramUnavailable', `was ended by ${end.by}`);
      case 'timed-out':
        throw failure(
          'GraphProgramFailed',
          `did not answer within ${timeoutMs / 1000} seconds: mend it, or give it longer with --model-timeout`,
        );
      case 'too-much-output':
        throw failure(
          'GraphProgramFailed',
          `printed more than ${mostOutputBytes / 1_000_000} MB: it is to print one JSON object`,
        );
    }
  }
}

function printed(stdout: string): GraphAnswer {
  const parsed = printedSchema.safeParse(jsonIn(stdout));
  if (parsed.success) return parsed.data;
  throw failure(
    'GraphProgramFailed',
    'printed something else than a JSON object with an "answer" that is a text, and a "costUsd" that is a number if it is there',
  );
}

function statusFailure(status: number, quote: string): PortFailure {
  const seen = `status ${status}${quote === '' ? '' : `: ${quote}`}`;
  if (notStarted.includes(status)) {
    return failure(
      'GraphProgramMissing',
      `cannot be started (${seen}): check TURNWISE_GRAPHRAG_COMMAND`,
    );
  }
  return status === tryAgain
    ? failure('GraphProgramUnavailable', `asks to be tried again (${seen})`)
    : failure('GraphProgramFailed', `ended with ${seen}`);
}

/** The first line of stderr, or the last line of a Python traceback, which names the exception. */
function complaint(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return (lines[0]?.startsWith('Traceback (') ? lines.at(-1) : lines[0]) ?? '';
}

/** `what` continues "The program for graph queries …". */
const failure = (
  type: 'GraphProgramFailed' | 'GraphProgramMissing' | 'GraphProgramUnavailable',
  what: string,
  options: { readonly cause?: unknown } = {},
): PortFailure => new PortFailure(type, `The program for graph queries ${what}.`, options);
