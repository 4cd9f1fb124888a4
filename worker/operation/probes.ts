import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Address } from '../../domain/settings.js';

/** What keeps a worker from work, in words; null for nothing. */
export type Check = () => Promise<string | null> | string | null;

/**
 * The HTTP server for those who watch a worker. `/healthz` answers 200 while this process serves at all: whoever restarts it
 * otherwise would not mend a missing home or server. `/readyz` answers 200 while nothing keeps it from work, and 503 with what
 * does. Both answer with one JSON object.
 * @param checks - by their names in the answer
 * @param withinMs - a check that takes longer, such as one of a network share that hangs, fails
 */
export async function serveProbes(
  { host, port }: Address,
  checks: Readonly<Record<string, Check>>,
  withinMs = 5_000,
): Promise<Server> {
  const run = Object.entries(checks).map(
    ([name, check]) => [name, oneAtATime(name, check, withinMs)] as const,
  );
  const server = createServer((request, response) => {
    const [pathname] = (request.url ?? '/').split('?');
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(body)}\n`);
    };
    if (pathname === '/healthz') answer(200, { ok: true });
    else if (pathname !== '/readyz') answer(404, { error: 'there are /healthz and /readyz' });
    else {
      void Promise.all(run.map(async ([name, check]) => [name, await check()] as const)).then(
        (found) => {
          const ok = found.every(([, trouble]) => trouble === null);
          answer(ok ? 200 : 503, { ok, ...Object.fromEntries(found) });
        },
      );
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  // It must not keep a worker alive that has ended.
  return server.unref();
}

/** A check that hangs is not begun again before it ends: each would hold a thread of Node's for files. */
function oneAtATime(name: string, check: Check, withinMs: number): () => Promise<string | null> {
  let pending: Promise<string | null> | null = null;
  return async () => {
    pending ??= Promise.resolve()
      .then(check)
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .finally(() => {
        pending = null;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => {
        resolve(`${name} does not answer within ${withinMs / 1_000} seconds`);
      }, withinMs);
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
