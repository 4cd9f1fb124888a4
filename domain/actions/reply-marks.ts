import type { ActionName } from './action.js';

/** A place in a reply that says what follows: a label of the protocol, or the name of an action with its bracket. */
export type Mark =
  | {
      readonly kind: 'thought' | 'action' | 'observation';
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly kind: 'call';
      readonly name: ActionName;
      readonly start: number;
      readonly end: number;
    };

const word = '(?:thought|thinking|think|action|observation) ?\\d{0,2}';
const notInWord = '(?<![\\p{L}\\p{N}_])';

const heading = '^ {0,3}#{1,6} {0,3}';

/** `[Action]:`, `[Action]`, `**Action**:`, `**Action:**`, `Action:` and, as a heading, `Action` alone, whatever the case. */
const labelForms = [
  `(?:${heading})?\\[ ?${word} ?\\](?:[*_]{0,2} ?[:\\uff1a])?`,
  `(?:${heading})?[*_]{2} ?${word} ?[:\\uff1a]?[*_]{2}(?: ?[:\\uff1a])?`,
  `${heading}${word}(?= {0,3}$)`,
  `(?:${heading})?${notInWord}${word} ?[:\\uff1a][*_]{0,2}`,
];

/** All marks in the order they stand, those inside the arguments of a call among them. */
export function marksOf(reply: string, actions: readonly ActionName[]): readonly Mark[] {
  const pattern = new RegExp(
    `(?<label>${labelForms.join('|')})|${notInWord}(?<name>${actions.join('|')})\\s{0,9}\\(`,
    'gimu',
  );
  return Array.from(reply.matchAll(pattern), (match): Mark => {
    const start = match.index;
    const end = start + match[0].length;
    const { label, name } = match.groups ?? {};
    const called = actions.find((action) => action.toLowerCase() === name?.toLowerCase());
    return called === undefined
      ? { kind: labelKind(label ?? ''), start, end }
      : { kind: 'call', name: called, start, end };
  });
}

function labelKind(label: string): 'thought' | 'action' | 'observation' {
  const lower = label.toLowerCase();
  if (lower.includes('action')) return 'action';
  return lower.includes('observation') ? 'observation' : 'thought';
}
