import { useState } from 'preact/hooks';
import { matchPath, pagePaths } from '../../page/page-paths.js';

/** Whether this is a page that was written to a file, with an overview of its own. */
export const isFile = document.getElementById('overview') !== null;

/** The path of the page that is shown, and its filters. In a file they stand behind the `#`. */
function here(): URL {
  const { hash, href } = location;
  return isFile ? new URL(hash.startsWith('#/') ? hash.slice(1) : '/', 'file:') : new URL(href);
}

/** What a link to a page of this application has to name. */
export const hrefTo = (path: string): string => (isFile ? `#${path}` : path);

const moved = new EventTarget();
/** How far each address was scrolled when it was left. */
const scrolled = new Map<string, number>();
/** From the `?` on, of each page that was left. */
const searches = new Map<string, string>();
let shown = here().pathname;

/** Shows another page of this application, with the filters that it had when it was left. */
export function navigate(address: string): void {
  const { pathname, search } = here();
  searches.set(pathname, search);
  history.pushState(null, '', hrefTo(`${address}${searches.get(address) ?? ''}`));
  move(0);
}

function move(scroll: number): void {
  scrolled.set(shown, scrollY);
  shown = here().pathname;
  moved.dispatchEvent(new Event('move'));
  restored = scroll;
  scrollTo(0, scroll);
}

/** Where the page that is being shown was scrolled, until its data are there. Null for the first page. */
let restored: number | null = null;

/** The data of a page are shown now: the reader goes on in it. */
export function enter(content: HTMLElement | null): void {
  if (restored === null) return;
  content?.focus({ preventScroll: true });
  if (restored > 0) scrollTo(0, restored);
  restored = 0;
}

const isPage = (address: string): boolean =>
  Object.values(pagePaths).some((path) => matchPath(path, address) !== null);

/** Follows links between pages without loading the document again. */
function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.origin !== location.origin) return;
  const isWithin = link.hash !== '' && link.pathname === location.pathname;
  if (isWithin && !(isFile && link.hash.startsWith('#/'))) return;
  const address = isFile ? link.hash.slice(1) : `${link.pathname}${link.search}`;
  if (!isPage(isFile ? address : link.pathname)) return;
  event.preventDefault();
  navigate(address);
}

/** To be called once. */
export function startNavigation(): void {
  history.scrollRestoration = 'manual';
  document.addEventListener('click', follow);
  addEventListener('popstate', () => {
    const { pathname } = here();
    if (pathname !== shown) move(scrolled.get(pathname) ?? 0);
  });
}

/** The path of the page that is shown. */
export const shownAddress = (): string => shown;

/** Calls a function whenever another page is to be shown. */
export const onMove = (show: () => void): void => moved.addEventListener('move', show);

type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** Texts that stand in the address of the page, so that it can be sent, and are there again when the reader comes back. */
export function useInAddress<Name extends string>(
  ...names: readonly Name[]
): readonly [Texts<Name>, (changes: Partial<Texts<Name>>) => void] {
  const [values, setValues] = useState<Texts<Name>>(() => {
    const search = here().searchParams;
    // All of these names, and no others.
    return Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Texts<Name>;
  });
  return [
    values,
    (changes) => {
      const { pathname, searchParams: search } = here();
      for (const [name, text] of Object.entries<string | undefined>(changes)) {
        if (text) search.set(name, text);
        else search.delete(name);
      }
      const text = search.size === 0 ? '' : `?${search.toString()}`;
      history.replaceState(
        null,
        '',
        `${hrefTo(`${pathname}${text}`)}${isFile ? '' : location.hash}`,
      );
      setValues({ ...values, ...changes });
    },
  ];
}

const remembered = new Map<string, unknown>();

/** A state that is still there when the reader comes back to the page. */
export function useRemembered<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const key = `${shown} ${name}`;
  // Only this hook writes to it, under a key of one type.
  const [value, setValue] = useState<T>((remembered.get(key) as T | undefined) ?? initial);
  return [
    value,
    (next) => {
      remembered.set(key, next);
      setValue(next);
    },
  ];
}
