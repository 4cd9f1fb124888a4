import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
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
  const nav = useRef<HTMLElement>(null);
  const [showsKeys, setShowsKeys] = useState(false);
  // Before the page is painted: a key that follows at once is not lost.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const rel = relOf[event.key];
      if (event.key === '?') setShowsKeys((shown) => !shown);
      else if (rel !== undefined) nav.current?.querySelector<HTMLElement>(`[rel=${rel}]`)?.click();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <nav class="steps" aria-label={label} ref={nav}>
      <a href={back[0]} rel="up">
        ← {back[1]}
      </a>
      {previous !== undefined && (
        <a href={previous} rel="prev" title="k">
          previous
        </a>
      )}
      {next !== undefined && (
        <a href={next} rel="next" title="j">
          next
        </a>
      )}
      {at !== -1 && (
        <span class="faint">
          {grouped(at + 1)} of {grouped(links.length)}
        </span>
      )}
      {children}
      {showsKeys && (
        <span class="note" role="status">
          Keys: j or → the next, k or ← the one before, u back to the list, ? this
        </span>
      )}
    </nav>
  );
}

/** The links that keys follow. */
const relOf: Readonly<Record<string, string>> = {
  ...{ j: 'next', ArrowRight: 'next' },
  ...{ k: 'prev', ArrowLeft: 'prev' },
  u: 'up',
};

/** Whether a key is for a field, a dialog, the browser, or what is scrolled by arrows. */
const isTyping = ({ target, altKey, ctrlKey, metaKey, key }: KeyboardEvent): boolean =>
  altKey ||
  ctrlKey ||
  metaKey ||
  document.querySelector('dialog[open]') !== null ||
  (target instanceof Element &&
    target.closest(key.startsWith('Arrow') ? 'input, textarea, select, [tabindex="0"]' : fields) !==
      null);

const fields = 'input, textarea, select';
