import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, ThreadData, ThrownError, ToThread } from './messages.js';

// The entry of a thread that holds the user's code: it loads the module, says what that exports, and calls its functions.

type Code = (input: unknown, context: unknown) => unknown;

process.setSourceMapsEnabled(true);
const { file } = workerData as ThreadData;
const mark = Symbol.for('turnwise.definition');
const codes = new Map<string, Code>();
const calls = new Map<number, AbortController>();
const send = (message: FromThread): void => parentPort?.postMessage(message);

// A promise that nobody waits for ends no call.
process.on('unhandledRejection', (reason) => {
  const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  process.stderr.write(`${text}\n`);
});

try {
  const found = definitionsIn((await import(pathToFileURL(file).href)) as object);
  send({ kind: 'loaded', exported: found });
  parentPort?.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'call':
        void call(message);
        break;
      case 'abort':
        calls.get(message.id)?.abort(new DOMException('given up', 'AbortError'));
        break;
      case 'ping':
        send({ kind: 'pong' });
        break;
    }
  });
} catch (error) {
  send({ kind: 'not-loaded', error: thrown(error) });
}

/** The definitions among the exports of a module, and the actions that its methods name. */
function definitionsIn(module: object): Extract<FromThread, { kind: 'loaded' }>['exported'] {
  const found = new Map<object, { kind: 'action' | 'method' | 'scorer'; definition: unknown }>();
  const add = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(add);
    const kind = kindOf(value);
    if (kind === null || found.has(value as object)) return;
    const definition = value as Record<string, unknown>;
    if (kind === 'method' && Array.isArray(definition['actions'])) {
      definition['actions'].forEach(add);
    }
    const code = definition[kind === 'action' ? 'run' : 'score'];
    if (kind !== 'method') {
      if (typeof code !== 'function') {
        throw new Error(
          `${kind} ${String(definition['name'])} has no function ${kind === 'action' ? 'run' : 'score'}`,
        );
      }
      codes.set(`${kind} ${String(definition['name'])}`, (...given) =>
        (code as Code).call(definition, ...given),
      );
    }
    found.set(definition, { kind, definition: asJson(withNames(definition)) });
  };
  Object.values(module).forEach(add);
  return [...found.values()];
}

function kindOf(value: unknown): 'action' | 'method' | 'scorer' | null {
  if (typeof value !== 'object' || value === null || !(mark in value)) return null;
  return value[mark] as 'action' | 'method' | 'scorer';
}

/** A method with the names of its actions. */
function withNames(definition: Record<string, unknown>): Record<string, unknown> {
  const { actions } = definition;
  if (!Array.isArray(actions)) return definition;
  const names = actions.map((each: unknown) =>
    kindOf(each) === 'action' ? (each as { readonly name: unknown }).name : each,
  );
  return { ...definition, actions: names };
}

/** Leaves out functions. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

async function call({
  id,
  what,
  name,
  input,
  context,
}: Extract<ToThread, { kind: 'call' }>): Promise<void> {
  const controller = new AbortController();
  calls.set(id, controller);
  try {
    const code = codes.get(`${what} ${name}`);
    if (code === undefined) throw new Error(`there is no ${what} ${name}`);
    const value = await code(input, { ...(context as object), signal: controller.signal });
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) {
      const message = `the ${what} ${name} returned ${typeof value}, which JSON does not have`;
      send({ kind: 'failed', id, failure: 'nonsense', error: { message, stack: '' } });
    } else send({ kind: 'returned', id, value: JSON.parse(text) });
  } catch (error) {
    send({ kind: 'failed', id, failure: 'threw', error: thrown(error) });
  } finally {
    calls.delete(id);
  }
}

function thrown(error: unknown): ThrownError {
  if (!(error instanceof Error)) return { message: String(error), stack: '' };
  return { message: error.message || error.name, stack: error.stack ?? '' };
}
