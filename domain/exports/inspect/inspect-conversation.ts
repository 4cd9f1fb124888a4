import { methods } from '../../methods/methods.js';
import type { ChatMessage } from '../../models/chat-message.js';
import { conversation } from '../../questions/conversation.js';
import { finishedTurn } from '../../questions/stored-turn.js';
import { iterativeMessages, iterativeOpening } from '../../questions/iterative-conversation.js';
import { modelOf, shownTurns, type RecordedQuestion } from '../recorded-question.js';
import { inspectMessage } from './inspect-message.js';
import type { InspectObject } from './inspect-object.js';
import { inspectUsage } from './inspect-usage.js';

/**
 * The whole conversation. Where a method goes turn by turn, each action is a call of a tool and what came of it the
 * tool's result, however the model wrote them.
 */
export const inspectMessages = (question: RecordedQuestion): readonly InspectObject[] =>
  chatMessages(question).map((message, index) => ({
    id: `message_${index + 1}`,
    ...inspectMessage(message),
  }));

function chatMessages(question: RecordedQuestion): readonly ChatMessage[] {
  const { config } = question.manifest;
  const method = methods[config.method];
  const turns = shownTurns(question);
  if (method.kind !== 'iterative') return conversation(question, turns);
  return [
    ...iterativeOpening(method, question),
    ...iterativeMessages(turns, { ...config, actionFormat: 'tools' }).flatMap(
      ([reply, ...told], index) => {
        const isOver = question.turns.slice(index, index + 1).every(finishedTurn);
        return [...(reply ? [reply] : []), ...(isOver ? told : [])];
      },
    ),
  ];
}

/** The answer as Inspect's output; without choices where there is none. */
export function inspectOutput(question: RecordedQuestion): InspectObject {
  const { answer, usage, costUsd } = question.result;
  const model = modelOf(question);
  return {
    model,
    choices:
      answer === null
        ? []
        : [{ message: { role: 'assistant', content: answer, model }, stop_reason: 'stop' }],
    completion: answer ?? '',
    usage: inspectUsage(usage, costUsd),
  };
}
