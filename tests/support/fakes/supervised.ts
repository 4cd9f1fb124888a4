import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { supervisorMessageSchema, type SupervisorMessage } from '../../../domain/services.js';

const fakeWorker = fileURLToPath(new URL('fake-worker.js', import.meta.url));

type MessageOf<K extends SupervisorMessage['kind']> = Extract<SupervisorMessage, { kind: K }>;

/** A real supervisor process, with everything it has said. */
export interface Supervised {
  readonly child: ChildProcess;
  readonly said: readonly SupervisorMessage[];
  /** The first message of this kind not waited for yet; rejects when the process ends without one. */
  readonly next: <K extends SupervisorMessage['kind']>(kind: K) => Promise<MessageOf<K>>;
  readonly ended: Promise<number | null>;
}

/** @param program - `worker/supervise.ts`, compiled. */
export function startSupervised(
  program: string,
  env: Readonly<Record<string, string>>,
): Supervised {
  const child = fork(program, [fakeWorker], {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const said: SupervisorMessage[] = [];
  const taken = new Set<SupervisorMessage>();
  const wake = new EventTarget();
  child.on('message', (raw) => {
    said.push(supervisorMessageSchema.parse(raw));
    wake.dispatchEvent(new Event('news'));
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  // The last message may come after the exit, never after the channel has closed.
  child.once('disconnect', () => wake.dispatchEvent(new Event('news')));
  const isUntaken =
    <K extends SupervisorMessage['kind']>(kind: K) =>
    (message: SupervisorMessage): message is MessageOf<K> =>
      message.kind === kind && !taken.has(message);
  return {
    child,
    said,
    ended,
    next: async (kind) => {
      for (;;) {
        const message = said.find(isUntaken(kind));
        if (message) {
          taken.add(message);
          return message;
        }
        if (!child.connected) throw new Error(`ended without “${kind}”: ${JSON.stringify(said)}`);
        await once(wake, 'news');
      }
    },
  };
}
