import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { AgentAsked, OwnCodePort } from '../activities/ports/own-code.js';
import { ownFailure, type OwnOutcome } from '../domain/agent/plugin.js';
import { exactJson } from '../domain/formats/json.js';
import { preview } from '../domain/formats/text.js';
import { sha256Of } from '../storage/sha256.js';

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

/** Of one line. */
const mostOutputChars = 10_000_000;

/** Of stderr, its end. */
const keptChars = 8_000;

interface ProgramEnd {
  /** Null if it was killed. */
  readonly status: number | null;
  readonly error?: Error;
}

/** One process of a program of the user's: a line of JSON in, a line of JSON out. */
export class Program {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #name: string;
  readonly #prints: string;
  #stdout = '';
  #stderr = '';
  #isEnded = false;
  /** Called when there is something new to look at. */
  #wake: () => void = () => undefined;
  #end: ProgramEnd | null = null;

  /**
   * @param name - as messages name it, behind `the`
   * @param prints - for what it is to print a line, as messages say it
   */
  constructor(command: string, name: string, prints: string) {
    this.#name = name;
    this.#prints = prints;
    // `detached` makes a process group, which Ctrl-C in a terminal does not reach.
    this.#child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'pipe' });
    const { stdin, stdout, stderr } = this.#child;
    // The pipe breaks if the program ends without reading its input.
    stdin.on('error', () => undefined);
    stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#wake();
    });
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptChars);
    });
    this.#child.once('error', (error) => {
      this.#end = { status: null, error };
      this.#wake();
    });
    this.#child.once('close', (status) => {
      this.#end ??= { status };
      this.#wake();
    });
    this.#keepsAlive(false);
  }

  get isUsable(): boolean {
    return !this.#isEnded && this.#end === null;
  }

  get wasKilled(): boolean {
    return this.#end?.status === null && this.#end.error === undefined;
  }

  get hasEndedWell(): boolean {
    return this.#end?.status === 0;
  }

  /** The last lines of stderr. */
  get lastWords(): string {
    const text = stripVTControlCharacters(this.#stderr);
    return text.trimEnd().split('\n').slice(-10).join('\n');
  }

  async ask(line: string, timeoutMs: number, signal: AbortSignal): Promise<OwnOutcome> {
    this.#keepsAlive(true);
    const late = AbortSignal.timeout(timeoutMs);
    const timer = setTimeout(() => this.#wake(), timeoutMs + 1);
    const woken = (): void => this.#wake();
    signal.addEventListener('abort', woken, { once: true });
    try {
      this.#child.stdin.write(line);
      for (;;) {
        if (signal.aborted) {
          this.end();
          throw signal.reason;
        }
        const reply = this.#nextLine();
        if (reply !== null) return this.#read(reply);
        if (this.#end !== null) return this.#howItEnded(this.#end);
        if (late.aborted) {
          this.end();
          return ownFailure(
            'timeout',
            `the ${this.#name} did not answer within ${timeoutMs / 1000} seconds`,
          );
        }
        if (this.#stdout.length > mostOutputChars) return this.#nonsense('a very long line');
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', woken);
      this.#wake = () => undefined;
      this.#keepsAlive(false);
    }
  }

  /** Kills it, and what it has started. */
  end(): void {
    this.#isEnded = true;
    const { pid } = this.#child;
    if (pid === undefined || this.#end !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  /** An idle process keeps this one from ending no longer. */
  #keepsAlive(keeps: boolean): void {
    const streams = [this.#child.stdin, this.#child.stdout, this.#child.stderr];
    for (const each of [this.#child, ...streams] as { ref?: () => void; unref?: () => void }[]) {
      if (keeps) each.ref?.();
      else each.unref?.();
    }
  }

  /** The next line that is not blank, if it has been written to its end, or the program has ended. */
  #nextLine(): string | null {
    for (;;) {
      const end = this.#stdout.indexOf('\n');
      if (end === -1 && this.#end === null) return null;
      const line = end === -1 ? this.#stdout : this.#stdout.slice(0, end);
      this.#stdout = end === -1 ? '' : this.#stdout.slice(end + 1);
      if (line.trim() !== '') return line;
      if (end === -1) return null;
    }
  }

  #read(line: string): OwnOutcome {
    try {
      return { kind: 'returned', value: JSON.parse(line) };
    } catch {
      return this.#nonsense(preview(line, 80));
    }
  }

  #nonsense(what: string): OwnOutcome {
    this.end();
    return ownFailure(
      'nonsense',
      `the ${this.#name} is to print one line of JSON ${this.#prints}, and printed ${what}`,
    );
  }

  #howItEnded({ status, error }: ProgramEnd): OwnOutcome {
    if (error !== undefined) {
      return ownFailure('crash', `the ${this.#name} cannot be started`);
    }
    const quote = complaint(this.#stderr);
    const silently = status === 0 ? ' and without an answer' : '';
    const how = status === null ? 'was killed' : `ended with status ${status}${silently}`;
    return ownFailure('crash', `the ${this.#name} ${how}${quote === '' ? '' : `: ${quote}`}`);
  }
}

/** The last line of stderr: of a traceback it names the exception; with the last place in it, if it has one. */
function complaint(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const [, file, line] = [...stderr.matchAll(/^ {2}File "([^"\n]+)", line (\d+)/gm)].at(-1) ?? [];
  const place = file === undefined || line === undefined ? '' : `${file}:${line}: `;
  return preview(`${place}${(lines.at(-1) ?? '').trim()}`, 300).replace(/\.$/, '');
}
