import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
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
