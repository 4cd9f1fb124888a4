import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('graph-program.js', import.meta.url));

/** A TURNWISE_GRAPHRAG_COMMAND for the stand-in. */
export const graphCommand = (mode: string, file = ''): string =>
  [process.execPath, program, mode, file].map((word) => `'${word}'`).join(' ');

/** One that never answers, nor ends when it is asked to, and has started another; the pids of both go into a file. */
export const hangingGraphCommand = (file: string): string =>
  `trap '' TERM; sleep 1000 & echo $$ $! > '${file}'; wait`;
