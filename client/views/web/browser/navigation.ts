import { useEffect, useState } from 'preact/hooks';
import { matchPath, pagePaths } from '../page-paths.js';

const moved = new EventTarget();
/** How far each address was scrolled when it was left. */
const scrolled = new Map<string, number>();
/** From the `?` on, of each page that was left. */
const searches = new Map<string, string>();
let shown = location.pathname;

/** Shows another page of this application, with the filters that it had when it was left. */
export function navigate(address: string): void {
  searches.set(location.pathname, location.search);
  history.pushState(null, '', `${address}${searches.get(address) ?? ''}`);
  move(0);
}

function move(scroll: number): void {
  scrolled.set(shown, scrollY);
  shown = location.pathname;
  moved.dispatchEvent(new Event('move'));
  restored = scroll;
  scrollTo(0, scroll);
}

/** Where the page that is being shown was scrolled, until its data are there. */
let restored = 0;

/** The data of a page are shown now. */
export function restoreScroll(): void {
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
  if (link.hash !== '' && link.pathname === location.pathname) return;
  if (!isPage(link.pathname)) return;
  event.preventDefault();
  navigate(`${link.pathname}${link.search}`);
}

/** To be called once. */
export function startNavigation(): void {
  history.scrollRestoration = 'manual';
  document.addEventListener('click', follow);
  addEventListener('popstate', () => {
    if (location.pathname !== shown) move(scrolled.get(location.pathname) ?? 0);
  });
}

/** The path of the page that is shown. */
export function useAddress(): string {
  const [address, setAddress] = useState(location.pathname);
  useEffect(() => {
    const update = (): void => setAddress(location.pathname);
    moved.addEventListener('move', update);
    return () => moved.removeEventListener('move', update);
  }, []);
  return address;
}

type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** Texts that stand in the address of the page, so that it can be sent, and are there again when the reader comes back. */
export function useInAddress<Name extends string>(
  ...names: readonly Name[]
): readonly [Texts<Name>, (changes: Partial<Texts<Name>>) => void] {
  const [values, setValues] = useState<Texts<Name>>(() => {
    const search = new URLSearchParams(location.search);
    // All of these names, and no others.
    return Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Texts<Name>;
  });
  return [
    values,
    (changes) => {
      const search = new URLSearchParams(location.search);
      for (const [name, text] of Object.entries<string | undefined>(changes)) {
        if (text) search.set(name, text);
        else search.delete(name);
      }
      const text = search.size === 0 ? '' : `?${search.toString()}`;
      history.replaceState(null, '', `${location.pathname}${text}${location.hash}`);
      setValues({ ...values, ...changes });
    },
  ];
}

const remembered = new Map<string, unknown>();

/** A state that is still there when the reader comes back to the page. */
export function useRemembered<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const key = `${location.pathname} ${name}`;
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
