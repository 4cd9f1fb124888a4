import type { Plugin, OwnFailed, OwnOutcome } from '../../domain/agent/plugin.js';

export interface PluginCall {
  readonly plugin: Pick<Plugin, 'path' | 'sha256'>;
  /** The code of the plugin; null if it is not there. Read at the first call only. */
  readonly code: () => Promise<string | null>;
  readonly what: 'action' | 'scorer';
  readonly name: string;
  /** The first argument of the function, and its second without the signal. Both survive JSON. */
  readonly input: unknown;
  readonly context: unknown;
  readonly timeoutMs: number;
}

interface ProgramCall {
  /** For a shell. */
  readonly command: string;
  /** Survives JSON: one line of the program's standard input. */
  readonly input: unknown;
  readonly timeoutMs: number;
}

interface AgentCall {
  /** For a shell. */
  readonly command: string;
  /** Tells its process from those of other questions. */
  readonly question: string;
  /** All that it is told, from the first line on. Each survives JSON. */
  readonly lines: readonly unknown[];
  /** SHA-256 of what it asked for after each line but the last. */
  readonly asked: readonly string[];
  readonly timeoutMs: number;
}

/** The line in which an agent asks for its next turn. */
export interface AgentAsked {
  readonly kind: 'asked';
  readonly value: unknown;
  readonly sha256: string;
}

/**
 * The user's own code. What it does wrong is an outcome. Throws PortFailure where it cannot be asked: `PluginMissing`, and
 * `PluginStopped`, which can be retried.
 */
export interface OwnCodePort {
  readonly callPlugin: (call: PluginCall, signal: AbortSignal) => Promise<OwnOutcome>;
  readonly callProgram: (call: ProgramCall, signal: AbortSignal) => Promise<OwnOutcome>;
  readonly callAgent: (call: AgentCall, signal: AbortSignal) => Promise<AgentAsked | OwnFailed>;
}
