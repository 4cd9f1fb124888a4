// Talks to turnwise from an agent of your own (docs/how-to/own-agent.md). What it asks for must depend on what it was told
// alone: turnwise may start it again and tell it everything anew. `node` runs this file as it is from Node 22.18 on.
import { createInterface } from 'node:readline';

export interface Task {
  readonly question: string;
  readonly answer_format: string;
  readonly anchor_pdf: readonly string[];
  readonly reference_pdf: readonly string[];
  readonly conference: readonly string[];
  readonly turns: number;
  readonly schemas: { readonly database: string; readonly vectorstore: string } | null;
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

interface Result {
  readonly reply?: string;
  readonly observation?: string;
  readonly error?: string;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function read(): Promise<unknown> {
  const line = await lines.next();
  if (line.done === true) process.exit(0);
  return JSON.parse(line.value);
}

async function ask(request: object): Promise<Result> {
  process.stdout.write(`${JSON.stringify(request)}\n`);
  return (await read()) as Result;
}

const seen = ({ observation, error = '' }: Result): string => observation ?? error;

export const task = (await read()) as Task;

export const model = async (messages: readonly Message[]): Promise<string> =>
  (await ask({ model: { messages } })).reply ?? '';
export const sql = async (statement: string): Promise<string> =>
  seen(await ask({ sql: statement }));
export const search = async (query: string, limit = 4): Promise<string> =>
  seen(await ask({ search: query, limit }));

/** Ends the question, and this program. */
export function answer(value: unknown): never {
  process.stdout.write(`${JSON.stringify({ answer: value })}\n`);
  process.exit(0);
}
