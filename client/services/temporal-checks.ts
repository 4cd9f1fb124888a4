import { counted, duration } from '../../domain/formats/text.js';
import type { NamespaceState, ServerTrouble, TemporalState } from '../../domain/services.js';
import { attributeCreation, otherTypeTrouble } from '../../temporal/search-attributes.js';
import { note, ok, problem, type Check } from './check.js';

/** What the doctor says of a server that is named or runs. */
export function serverChecks(
  state: Exclude<TemporalState, { kind: 'not-running' }>,
): readonly Check[] {
  const name = 'Temporal';
  if (state.kind === 'trouble') return [troubled(name, state.trouble)];
  const { address, version, namespace } = state;
  return [ok(name, `${address}, version ${version}`), namespaceCheck(namespace)];
}

function namespaceCheck(state: NamespaceState): Check {
  const title = 'Namespace';
  if (state.kind === 'trouble') return troubled(title, state.trouble);
  const { name, retentionMs, attributes } = state;
  const detail =
    retentionMs === null
      ? name
      : `${name}; keeps histories for ${retention(retentionMs)} after their end`;
  if (attributes.kind === 'hidden') {
    return note(
      title,
      `${detail}; does not list its search attributes`,
      `A run that cannot start for lack of them needs \`${attributeCreation(name)}\`.`,
    );
  }
  const { missing, otherType } = attributes;
  if (otherType.length > 0) return troubled(title, otherTypeTrouble(name, otherType));
  if (missing.length === 0) return ok(title, detail);
  return note(
    title,
    `${detail}; lacks search attributes`,
    `A worker creates them when it starts. Where it may not: \`${attributeCreation(name, missing)}\`.`,
  );
}

const dayMs = 86_400_000;

const retention = (ms: number): string =>
  ms % dayMs === 0 ? counted(ms / dayMs, 'day') : duration(ms);

const troubled = (name: string, { what, remedy, status }: ServerTrouble): Check =>
  problem(status, name, capital(what), `${capital(remedy)}.`);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
