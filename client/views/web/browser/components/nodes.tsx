import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** HTML that the server has made of the report's parts, with all text of a run escaped. */
export function Html({
  html,
  kind = '',
}: {
  readonly html: string;
  readonly kind?: string;
}): JSX.Element {
  return <div class={`wide ${kind}`} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** Elements that the functions of the report's page make. */
export function Nodes({
  make,
  of,
}: {
  readonly make: () => readonly (Node | null)[];
  /** They are made again when it changes. */
  readonly of: unknown;
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.replaceChildren(...make().filter((node) => node !== null));
  }, [of]);
  return <div ref={place} />;
}
