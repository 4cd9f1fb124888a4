import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const running = new Set();

// In a terminal Ctrl-C reaches the program too, which decides what it means; set-up only waits for its end.
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) for (const child of running) child.kill('SIGINT');
});
process.on('SIGTERM', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** Runs a program on this terminal. Resolves to its exit status as a shell would give it. */
export function runProgram(command, args, { cwd, env = {} }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: 'inherit',
    });
    running.add(child);
    child.once('error', (error) => {
      console.error(`${command} could not be run: ${error.message}`);
      finish(127);
    });
    child.once('exit', (status, signal) => finish(status ?? 128 + constants.signals[signal]));

    function finish(status) {
      running.delete(child);
      resolve(status);
    }
  });
}
