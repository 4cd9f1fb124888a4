import type { JSX } from 'preact';

/** HTML that the server has made of the report's parts, with all text of a run escaped. */
export function Html({
  html,
  kind = '',
}: {
  readonly html: string;
  readonly kind?: string;
}): JSX.Element {
  return <div class={`wide ${kind}`} tabIndex={0} dangerouslySetInnerHTML={{ __html: html }} />;
}
