/** A place in a reply that says what follows: a label of the protocol, or what an action begins with. */
export interface Mark {
  readonly kind: 'thought' | 'action' | 'observation' | 'opening';
  readonly start: number;
  readonly end: number;
}

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

/** All marks in the order they stand, those inside an action among them. `opening` is the source of a pattern. */
export function marksOf(reply: string, opening: string): readonly Mark[] {
  const pattern = new RegExp(`(?<label>${labelForms.join('|')})|${opening}`, 'gimu');
  return Array.from(reply.matchAll(pattern), (match): Mark => {
    const start = match.index;
    const label = match.groups?.['label'];
    const kind = label === undefined ? 'opening' : labelKind(label);
    return { kind, start, end: start + match[0].length };
  });
}

function labelKind(label: string): Mark['kind'] {
  const lower = label.toLowerCase();
  if (lower.includes('action')) return 'action';
  return lower.includes('observation') ? 'observation' : 'thought';
}
