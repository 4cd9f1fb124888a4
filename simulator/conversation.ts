import { z } from 'zod';
import type { ChatRequest } from './chat-request.js';
import { bareText, type Evidence, type Row } from './placeholders.js';

type Message = ChatRequest['messages'][number];

/** What the messages of a request tell about where a question stands. */
export interface Conversation {
  readonly question: string | undefined;
  /** All that precedes the model's first turn. */
  readonly prompt: string;
  /** Of the model, as many as are shown: the history may be windowed. */
  readonly turns: number;
  /** Of the last turn; undefined where its format keeps none. */
  readonly lastThought: string | undefined;
  readonly evidence: Evidence;
  readonly lastMessage: string;
}

export function readConversation({ messages }: ChatRequest): Conversation {
  const turns = messages.filter(isTurn);
  const [first] = turns;
  const opening = first === undefined ? messages.length : messages.indexOf(first);
  const prompt = messages
    .slice(0, opening)
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
      ...messages.slice(opening).flatMap((each) => (isTurn(each) ? [] : [each.content])),
    ]),
    lastMessage: messages.at(-1)?.content ?? '',
  };
}

const isTurn = ({ role }: Message): boolean => role === 'assistant';

/** Beside a tool call it is all of the text. */
const thoughtIn = ({ content, tool_calls: calls }: Message): string | undefined =>
  calls?.length
    ? content.replace(/^\[Thought\]:/, '')
    : /\[Thought\]:(.*?)\n\[Action\]:/s.exec(content)?.[1];

/** The last one: prompts explain the labels of a task before they use them. */
function questionIn(prompt: string): { readonly text: string; readonly end: number } | undefined {
  const found = [...prompt.matchAll(/^\[Question\]: (.*?)\n(?=\[Answer Format\]:)/gms)].at(-1);
  return found?.[1] === undefined
    ? undefined
    : { text: found[1].trim(), end: found.index + found[0].length };
}

/** What a method of few calls shows beside the question, with what the prompt says after it. */
const contextIn = (task: string): readonly string[] =>
  /^\[Context\]: (.*)/ms.exec(task)?.slice(1) ?? [];

/** @param observations - the latest last */
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
