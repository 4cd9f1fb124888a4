import { toolsOf } from '../../../domain/agent/actions/action-tools.js';
import { parseErrorKind } from '../../../domain/agent/actions/parse-error.js';
import { methodOf } from '../../../domain/agent/methods.js';
import { planTurn } from '../../../domain/agent/turn-plan.js';
import type { ReplyRecord, StoredTurn } from '../../../domain/agent/turn-record.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import {
  eventAt,
  inspectToolCall,
  MessagePool,
  replyMessage,
  replyUsage,
  secondsBetween,
  type InspectObject,
  type MessageRanges,
} from './inspect-messages.js';
import { toolCallOf, callId, sentMessages, type RecordedQuestion } from './recorded-question.js';

/** The model and tool events of a question in Inspect's transcript, and the messages that they refer to. */
export function turnEvents(question: RecordedQuestion): {
  readonly events: readonly InspectObject[];
  readonly messages: readonly InspectObject[];
} {
  const sent = sentMessages(question);
  const pool = new MessagePool();
  const events = question.turns.flatMap((turn) => [
    ...(turn.reply.model === null
      ? []
      : [modelEvent(question, turn.reply, pool.refs(sent(turn.reply.turn)))]),
    ...toolEvent(question, turn),
  ]);
  return { events, messages: pool.messages };
}

function modelEvent(
  question: RecordedQuestion,
  reply: ReplyRecord,
  sent: MessageRanges,
): InspectObject {
  const { config } = question.manifest;
  const method = methodOf(config);
  const plan = planTurn(method, reply.turn, config);
  const seconds = secondsBetween(reply.startedAt, reply.endedAt);
  return {
    event: 'model',
    uuid: `turn_${reply.turn}_model`,
    ...eventAt(question.result, reply.startedAt),
    completed: reply.endedAt,
    working_time: seconds,
    model: config.model.name,
    input: [],
    input_refs: sent,
    tools:
      plan.kind === 'action' && plan.format === 'tools'
        ? toolsOf(plan.actions, method.kind === 'iterative' ? method.about : undefined).map(
            ({ name, description, parameters }) => ({
              name,
              description,
              parameters: { type: 'object', ...parameters },
            }),
          )
        : [],
    tool_choice: 'auto',
    config: generateConfig(question.manifest),
    output: {
      model: reply.model,
      choices: [{ message: replyMessage(reply), stop_reason: stopReason(reply) }],
      usage: replyUsage(reply),
      time: seconds,
    },
    retries: reply.retries,
    cache: reply.cacheHit ? 'read' : undefined,
  };
}

function toolEvent(
  question: RecordedQuestion,
  { reply, observation }: StoredTurn,
): readonly InspectObject[] {
  const { reading } = reply;
  if (observation === null || reading.kind === 'error') return [];
  const call = toolCallOf(reading);
  const outcome = observation.facts?.outcome;
  return [
    {
      event: 'tool',
      uuid: `turn_${reply.turn}_tool`,
      ...eventAt(question.result, observation.startedAt),
      completed: observation.endedAt,
      working_time: secondsBetween(observation.startedAt, observation.endedAt),
      ...inspectToolCall(callId(reply), call.name, call.arguments),
      result: observation.content,
      error:
        outcome?.kind === 'failed'
          ? {
              type: outcome.class === 'timeout' ? 'timeout' : 'unknown',
              message: outcome.class,
            }
          : undefined,
      metadata: observation.facts && { tool: observation.facts.tool, ...outcome },
    },
  ];
}

function stopReason({ reading, toolCalls }: ReplyRecord): string {
  if (reading.kind === 'error' && parseErrorKind(reading.error) === 'cut-off') return 'max_tokens';
  return toolCalls === undefined || toolCalls.length === 0 ? 'stop' : 'tool_calls';
}

/** The model's settings, which all calls share. */
export function generateConfig({ config: { model } }: Pick<RunManifest, 'config'>): InspectObject {
  return {
    temperature: model.temperature ?? undefined,
    top_p: model.topP ?? undefined,
    max_tokens: model.maxTokens,
    seed: model.seed ?? undefined,
    reasoning_effort: model.reasoningEffort ?? undefined,
  };
}
