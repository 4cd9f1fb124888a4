import { toChildArray, type ComponentChildren, type JSX } from 'preact';
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
          <Links label="turnwise" kind="parts">
            <a href={pagePaths.runs}>Runs</a>
            <a href={pagePaths.evaluations}>Evaluations</a>
            <a href={pagePaths.datasets}>Datasets</a>
          </Links>
        )}
        <div class="kind">{kind}</div>
        {!hasHeading && <h1>{title}</h1>}
        {bar}
      </header>
      <main id="content" tabIndex={-1}>
        <Problem text={problem} />
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

/** Null where there is nothing to say. */
export type Fact = readonly [name: string, value: string] | null;

interface FactsProps {
  readonly facts: readonly Fact[];
  readonly label?: string;
}

/** Names and their values. */
export const Facts = ({ facts, label }: FactsProps): JSX.Element => (
  <dl class="facts" aria-label={label}>
    {facts.map(
      (fact) =>
        fact && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
);

interface SectionProps {
  readonly id: string;
  readonly title: ComponentChildren;
  readonly heading?: 'h2' | 'h3';
  readonly children: ComponentChildren;
}

export const Section = ({
  id,
  title,
  heading: Heading = 'h2',
  children,
}: SectionProps): JSX.Element => (
  <section aria-labelledby={id}>
    <Heading id={id}>{title}</Heading>
    {children}
  </section>
);

interface LinksProps {
  readonly label: string;
  readonly kind?: string;
  readonly children: ComponentChildren;
}

export const Links = ({ label, kind = '', children }: LinksProps): JSX.Element => (
  <nav aria-label={label} class={kind}>
    <ul>
      {toChildArray(children).map((link, at) => (
        <li key={at}>{link}</li>
      ))}
    </ul>
  </nav>
);

export const TemporalLink = ({ url }: { readonly url: string }): JSX.Element => (
  <a href={url} target="_blank" rel="noreferrer">
    Temporal UI
  </a>
);

/** Why something could not be done or shown. */
export const Problem = ({ text }: { readonly text: string | null }): JSX.Element | null =>
  text === null ? null : (
    <p class="note problem breaks" role="alert">
      {text}
    </p>
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
