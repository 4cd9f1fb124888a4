import { toolsOf } from '../actions/action-tools.js';
import { methods } from '../methods/methods.js';
import { planTurn, type AgentConfig } from '../methods/turn-plan.js';
import type { ChatMessage } from '../models/chat-message.js';
import type { ChatRequest } from '../models/chat-body.js';

/** What a run's model is asked with these messages: its settings, and the tools of the method where it is to call them. */
export function turnRequest(
  config: AgentConfig,
  turn: number,
  messages: readonly ChatMessage[],
): ChatRequest {
  const { name, ...settings } = config.model;
  const plan = planTurn(methods[config.method], turn, config);
  const callsTools = plan.kind === 'action' && plan.format === 'tools';
  return {
    ...settings,
    model: name,
    messages,
    ...(callsTools && { tools: toolsOf(plan.actions) }),
  };
}
