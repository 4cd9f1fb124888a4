import { z } from 'zod';
import type { ChatRequest } from './chat-request.js';
import { bareText, type Evidence, type Row } from './script.js';

type Message = ChatRequest['messages'][number];

/** The state of a question, read from the messages of a request. */
export interface Conversation {
  readonly question: string | undefined;
  /** All messages before the model's first turn. */
  readonly prompt: string;
  /** The model's turns in this request: only those in its window. */
  readonly turns: number;
  /** The thought of the last turn; undefined if the action format keeps none. */
  readonly lastThought: string | undefined;
  readonly evidence: Evidence;
  readonly lastMessage: string;
}

export function readConversation({ messages }: ChatRequest): Conversation {
  const turns = messages.filter(isTurn);
  const [first] = turns;
  const promptLength = first === undefined ? messages.length : messages.indexOf(first);
  const prompt = messages
    .slice(0, promptLength)
    .map(({ content }) => content)
    .join('\n\n');
  const question = questionIn(prompt);
  const last = turns.at(-1);
  return {
    question: question?.text,
    prompt,
    turns: turns.length,
    lastThought: last && thoughtIn(last),
    evidence: evidenceOf([
      ...contextIn(prompt.slice(question?.end)),
      ...messages.slice(promptLength).flatMap((each) => (isTurn(each) ? [] : [each.content])),
    ]),
    lastMessage: messages.at(-1)?.content ?? '',
  };
}

const isTurn = ({ role }: Message): boolean => role === 'assistant';

/** In a message with tool calls, all of the text is the thought. */
const thoughtIn = ({ content, tool_calls: calls }: Message): string | undefined =>
  calls?.length
    ? content.replace(/^\[Thought\]:/, '')
    : /\[Thought\]:(.*?)\n\[Action\]:/s.exec(content)?.[1];

/** Finds the last `[Question]:` of the prompt: earlier ones belong to the explanation of the labels. */
function questionIn(prompt: string): { readonly text: string; readonly end: number } | undefined {
  const found = [...prompt.matchAll(/^\[Question\]: (.*?)\n(?=\[Answer Format\]:)/gms)].at(-1);
  return found?.[1] === undefined
    ? undefined
    : { text: found[1].trim(), end: found.index + found[0].length };
}

/** The context that a method without retrieval actions puts after the question, with the rest of the prompt. */
const contextIn = (task: string): readonly string[] =>
  /^\[Context\]: (.*)/ms.exec(task)?.slice(1) ?? [];

/** @param observations - in order, the latest last */
function evidenceOf(observations: readonly string[]): Evidence {
  const read = observations.map((text) => ({ text, rows: rowsIn(text) })).reverse();
  return {
    rows: read[0]?.rows ?? [],
    texts: read.map(({ text, rows }) =>
      rows.length === 0
        ? text
        : rows
            .flatMap(Object.values<Row[string]>)
            .map(bareText)
            .join('\n'),
    ),
  };
}

const rowSchema = z.record(z.string(), z.json());

function rowsIn(observation: string): readonly Row[] {
  return observation.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      const row = rowSchema.safeParse(JSON.parse(line));
      return row.success ? [row.data] : [];
    } catch {
      return [];
    }
  });
}
