import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { OwnCodePort } from '../activities/ports/own-code.js';
import { exactJson } from '../domain/formats/json.js';
import { ownFailure, type OwnFailed, type OwnOutcome } from '../domain/agent/plugin.js';
import { cacheFolder } from '../storage/cached-replies.js';
import { createAgentPrograms, Program } from './agent-programs.js';
import { createPluginThreads, type PluginThreads } from './plugin-threads.js';

export interface OwnCode extends OwnCodePort, Pick<PluginThreads, 'exportsOf'> {
  readonly close: () => Promise<void>;
}

/**
 * Runs the user's own code: plugins in threads, programs in processes. What comes back never quotes one of the `secrets`.
 */
export function createOwnCode({
  home,
  secrets = [],
  env = process.env,
  thread,
}: {
  readonly home: string;
  readonly secrets?: readonly string[];
  /** What plugins see as their environment. @defaultValue that of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** The compiled `plugin-thread.ts`. */
  readonly thread?: URL;
}): OwnCode {
  const threads = createPluginThreads({
    folder: join(cacheFolder(home), 'plugins'),
    env,
    ...(thread && { thread }),
  });
  const programs = createScorerPrograms();
  const agents = createAgentPrograms();
  const safe = <Outcome extends { readonly kind: string }>(
    outcome: Outcome | OwnFailed,
  ): Outcome | OwnFailed =>
    'message' in outcome &&
    secrets.some((secret) => `${outcome.message}\n${outcome.lastWords ?? ''}`.includes(secret))
      ? ownFailure(outcome.failure, 'its message contains a key, and is left out')
      : outcome;
  return {
    callPlugin: async (call, signal) => safe(await threads.callPlugin(call, signal)),
    callProgram: async (call, signal) => safe(await programs.callProgram(call, signal)),
    callAgent: async (call, signal) => safe(await agents.callAgent(call, signal)),
    exportsOf: threads.exportsOf,
    close: async () => {
      programs.close();
      agents.close();
      await threads.close();
    },
  };
}

/** Processes of one command at a time. */
const mostProcesses = Math.max(2, Math.min(4, availableParallelism()));

interface ScorerPrograms {
  readonly callProgram: OwnCodePort['callProgram'];
  readonly close: () => void;
}

/**
 * Programs of the user's that score answers: a line of JSON in, a line of JSON out. A process is kept for further lines. It
 * gets the next line when it has answered the last one, and is killed when it is late, or answers nonsense. At the end of
 * its input it is to end by itself, also when this process is killed.
 */
export function createScorerPrograms(): ScorerPrograms {
  const pools = new Map<string, Pool>();
  return {
    callProgram: async ({ command, input, timeoutMs }, signal) => {
      signal.throwIfAborted();
      let pool = pools.get(command);
      if (pool === undefined) {
        pool = new Pool(command);
        pools.set(command, pool);
      }
      return pool.ask(`${exactJson(input)}\n`, timeoutMs, signal);
    },
    close: () => {
      for (const pool of pools.values()) pool.close();
    },
  };
}

class Pool {
  readonly #command: string;
  readonly #idle: Program[] = [];
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(command: string) {
    this.#command = command;
  }

  async ask(line: string, timeoutMs: number, signal: AbortSignal): Promise<OwnOutcome> {
    while (this.#running >= mostProcesses) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    try {
      signal.throwIfAborted();
      for (;;) {
        const kept = this.#taken();
        const program = kept ?? new Program(this.#command, 'scorer program', 'for each answer');
        const outcome = await program.ask(line, timeoutMs, signal);
        // It may end after each answer, and is not seen to have ended yet.
        if (outcome.kind === 'failed' && program.hasEndedWell && kept !== undefined) continue;
        if (program.isUsable) this.#idle.push(program);
        return outcome.kind === 'failed' ? { ...outcome, lastWords: program.lastWords } : outcome;
      }
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  close(): void {
    for (const program of this.#idle.splice(0)) program.end();
  }

  #taken(): Program | undefined {
    for (;;) {
      const program = this.#idle.pop();
      if (program === undefined || program.isUsable) return program;
    }
  }
}
