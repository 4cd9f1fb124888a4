import { openAiBaseUrl, type Environment } from '../domain/settings.js';
import { diagnose, type Check, type ModelEndpoint } from './diagnosis.js';
import { inspectAll } from './inspection.js';

const answerWithinMs = 5_000;

/** Looks at everything turnwise depends on, and changes nothing. */
export async function examine(environment: Environment): Promise<readonly Check[]> {
  const [inspection, model] = await Promise.all([
    inspectAll(environment),
    askModelEndpoint(environment),
  ]);
  const { platform } = process;
  return diagnose({ nodeVersion: process.versions.node, platform, inspection, model });
}

const marks: Readonly<Record<Check['kind'], string>> = { ok: '✓', note: '·', problem: '✗' };

/** One line a check, the remedy under what needs one. */
export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap((check) => [
      `${marks[check.kind]} ${check.name.padEnd(width)}  ${check.detail}`,
      ...(check.kind === 'ok' ? [] : [`${' '.repeat(width + 4)}→ ${check.remedy}`]),
    ])
    .join('\n');
}

/** Asks for the list of models: costs nothing, and tells a wrong key from a wrong address. */
export async function askModelEndpoint(environment: Environment): Promise<ModelEndpoint> {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: base } = environment;
  if (key === undefined && base === undefined) return { kind: 'unset' };
  const url = new URL(`${(base ?? openAiBaseUrl).replace(/\/+$/, '')}/models`);
  // A base URL may carry a name and a password of its own: what is shown must not.
  const shown = `${url.origin}${url.pathname.replace(/\/models$/, '')}`;
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(answerWithinMs) });
    await response.body?.cancel();
    return { kind: 'answered', url: shown, httpStatus: response.status };
  } catch (error) {
    return { kind: 'unreachable', url: shown, reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return `no answer within ${answerWithinMs / 1000} s`;
  // The message of fetch's own errors may quote the URL; their cause names only host and port.
  return error.cause instanceof Error ? error.cause.message : 'the request could not be made';
}
