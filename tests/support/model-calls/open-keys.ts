import type { FoundCalls, OpenCall } from '../../../domain/scoring/open-calls.js';

/** Tells the key of a call: the one it has had since a look found it open last. */
export function openKeys(
  look: () => Promise<FoundCalls>,
): (call: Pick<OpenCall, 'index' | 'member'>) => Promise<string> {
  const keys = new Map<string, string>();
  return async ({ index, member }) => {
    for (const call of (await look()).open) keys.set(`${call.index} ${call.member}`, call.key);
    return keys.get(`${index} ${member}`) ?? 'never open';
  };
}
