import type { ComponentChildren, JSX } from 'preact';
import { grouped } from '../../../../../domain/formats/text.js';

interface StepLinksProps {
  /** What the links lead to, for screen readers. */
  readonly label: string;
  /** The list from which the reader came, and its name. */
  readonly back: readonly [href: string, name: string];
  /** The addresses of the list, as it was filtered and sorted. */
  readonly links: readonly string[];
  readonly here: string;
  readonly children?: ComponentChildren;
}

/** Leads to what is before and after this in its list. */
export function StepLinks({ label, back, links, here, children }: StepLinksProps): JSX.Element {
  const at = links.indexOf(here);
  const previous = links[at - 1];
  const next = at === -1 ? undefined : links[at + 1];
  return (
    <nav class="steps" aria-label={label}>
      <a href={back[0]}>← {back[1]}</a>
      {previous !== undefined && <a href={previous}>previous</a>}
      {next !== undefined && <a href={next}>next</a>}
      {at !== -1 && (
        <span class="faint">
          {grouped(at + 1)} of {grouped(links.length)}
        </span>
      )}
      {children}
    </nav>
  );
}
