/**
 * A signal that aborts after a time, with a DOMException named TimeoutError. Unlike `AbortSignal.timeout` it may be a source of
 * `AbortSignal.any`: Node 20 to 24 may collect such a source as garbage, and then its time never ends (nodejs/node issue 57736).
 */
export function timeLimit(ms: number): AbortSignal {
  const limit = new AbortController();
  setTimeout(
    () => limit.abort(new DOMException(`not done within ${ms} ms`, 'TimeoutError')),
    ms,
  ).unref();
  return limit.signal;
}
