import {
  linesToAgent,
  readAgentLine,
  type AgentTurn,
} from '../../domain/agent/own-agent/protocol.js';
import type { TurnMaterial } from '../../domain/agent/read-turn.js';
import type { TurnRef } from '../../domain/runs/question-ref.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { OwnCodePort } from '../ports/own-code.js';
import { PortFailure } from '../ports/port-failure.js';

/** What an agent of the user's asks for in a turn. */
export interface AskedByAgent {
  readonly turn: AgentTurn;
  readonly sha256: string;
}

/** Has the agent of a run say what it wants next. Throws PortFailure where it does not. */
export async function askAgent(
  ownCode: Pick<OwnCodePort, 'callAgent'>,
  { run, uuid, epoch, asking = 1 }: TurnRef,
  { material, turns }: TurnMaterial & { readonly material: { readonly manifest: RunManifest } },
  signal: AbortSignal,
): Promise<AskedByAgent> {
  const { agentProgram, toolTimeoutMs } = material.manifest.config;
  if (agentProgram === null) throw new PortFailure('InvalidRun', `run ${run} has no agent program`);
  const outcome = await ownCode.callAgent(
    {
      command: agentProgram,
      question: JSON.stringify([run, uuid, epoch, asking]),
      lines: linesToAgent(material, turns),
      asked: turns.flatMap(({ reply: { asked256 } }) => asked256 ?? []),
      timeoutMs: toolTimeoutMs,
    },
    signal,
  );
  if (outcome.kind === 'asked') {
    return { turn: readAgentLine(outcome.value), sha256: outcome.sha256 };
  }
  const type = outcome.failure === 'killed' ? 'AgentProgramStopped' : 'AgentProgramFailed';
  throw new PortFailure(
    type,
    `${outcome.message.slice(0, 1).toUpperCase()}${outcome.message.slice(1)}.`,
  );
}
