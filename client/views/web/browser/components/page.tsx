import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { pagePaths } from '../../../page/page-paths.js';
import { enter, isFile } from '../navigation.js';

interface PageProps {
  /** Shown above the title. */
  readonly kind: ComponentChildren;
  readonly title: string;
  /** Whether the content has the heading of the page itself. @defaultValue false */
  readonly hasHeading?: boolean;
  readonly problem: string | null;
  readonly isLoading: boolean;
  /** Links and buttons below the title. */
  readonly bar?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Links to the parts of the application, in every page. */
const parts = [
  { name: 'Runs', path: pagePaths.runs },
  { name: 'Evaluations', path: pagePaths.evaluations },
  { name: 'Datasets', path: pagePaths.datasets },
];

/** The frame of every page. */
export function Page(props: PageProps): JSX.Element {
  const { kind, title, hasHeading = false, problem, isLoading, bar, children } = props;
  useEffect(() => {
    document.title = `${title} · turnwise`;
  }, [title]);
  useLayoutEffect(() => {
    if (!isLoading) enter(document.getElementById('content'));
  }, [isLoading]);
  return (
    <>
      {!isFile && (
        <a class="skip" href="#content">
          to the content
        </a>
      )}
      <header class="top">
        {!isFile && (
          <nav aria-label="turnwise" class="parts">
            <ul>
              {parts.map(({ name, path }) => (
                <li key={path}>
                  <a href={path}>{name}</a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div class="kind">{kind}</div>
        {!hasHeading && <h1>{title}</h1>}
        {bar}
      </header>
      <main id="content" tabIndex={-1}>
        {problem !== null && (
          <p class="note problem" role="alert">
            {problem}
          </p>
        )}
        {isLoading ? problem === null && <p class="faint">Loading …</p> : children}
      </main>
    </>
  );
}

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

interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly label?: string;
}

/** Names and their values. */
export const Facts = ({ facts, label }: FactsProps): JSX.Element => (
  <dl class="facts" aria-label={label}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** A button that copies the command which says the same in a terminal. @param words - of the command, behind `turnwise` */
export function CopyCommand({ words }: { readonly words: readonly string[] }): JSX.Element {
  const [said, setSaid] = useState('Copy command');
  const command = ['turnwise', ...words.map(quoted)].join(' ');
  const copy = async (): Promise<void> => {
    // Browsers give no clipboard to pages of other machines without TLS.
    const isCopied = await Promise.resolve(navigator.clipboard)
      .then((clipboard) => clipboard.writeText(command))
      .then(() => true)
      .catch(() => false);
    setSaid(isCopied ? 'Copied' : command);
  };
  return (
    <button type="button" class="copy" title={command} onClick={() => void copy()}>
      {said}
    </button>
  );
}

/** As a shell reads it as one word. */
const quoted = (word: string): string =>
  /^[\w.:@%+,/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
