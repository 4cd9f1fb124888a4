import type { AgentAsked, OwnCodePort } from '../activities/ports/own-code.js';
import { exactJson } from '../domain/formats/json.js';
import { ownFailure } from '../domain/agent/plugin.js';
import { sha256Of } from '../storage/sha256.js';
import { Program } from './line-program.js';

/** A process whose question does not go on, here or at all, is ended after so long. */
const keptForMs = 10 * 60_000;

interface Kept {
  readonly program: Program;
  /** Lines it was given. */
  lines: number;
  timer: NodeJS.Timeout;
}

interface AgentPrograms {
  readonly callAgent: OwnCodePort['callAgent'];
  readonly close: () => void;
}

/**
 * Agents of the user's: one process a question, kept from turn to turn. Where it is not there any more, another one is told
 * all lines again, and must ask for the same.
 */
export function createAgentPrograms(): AgentPrograms {
  const kept = new Map<string, Kept>();

  function forget(question: string): void {
    const one = kept.get(question);
    clearTimeout(one?.timer);
    one?.program.end();
    kept.delete(question);
  }

  function keep(question: string, program: Program, lines: number): void {
    // Another attempt may have come as far meanwhile.
    forget(question);
    const timer = setTimeout(() => {
      forget(question);
    }, keptForMs).unref();
    kept.set(question, { program, lines, timer });
  }

  return {
    callAgent: async ({ command, question, lines, asked, timeoutMs }, signal) => {
      const before = kept.get(question);
      clearTimeout(before?.timer);
      const goesOn = before?.program.isUsable === true && before.lines === lines.length - 1;
      if (before && !goesOn) forget(question);
      const program = goesOn ? before.program : start(command);
      kept.delete(question);
      let last: AgentAsked | null = null;
      for (let line = goesOn ? lines.length - 1 : 0; line < lines.length; line += 1) {
        const outcome = await program.ask(`${exactJson(lines[line])}\n`, timeoutMs, signal);
        if (outcome.kind === 'failed') {
          program.end();
          const { lastWords } = program;
          return { ...outcome, lastWords, ...(program.wasKilled && { failure: 'killed' }) };
        }
        const sha256 = sha256Of(exactJson(outcome.value));
        if (line < asked.length && asked[line] !== sha256) {
          program.end();
          return ownFailure('nonsense', `${changed} ${line + 1}`);
        }
        last = { kind: 'asked', value: outcome.value, sha256 };
      }
      keep(question, program, lines.length);
      return last ?? ownFailure('nonsense', 'it was told nothing');
    },
    close: () => {
      for (const question of [...kept.keys()]) forget(question);
    },
  };
}

const start = (command: string): Program => new Program(command, 'agent program', 'for each line');

const changed =
  'the agent program was told the same lines again, and asked for something else: what it asks for may depend on these lines alone. It differs in line';
