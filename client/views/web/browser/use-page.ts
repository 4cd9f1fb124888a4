import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

/** What is known of a page. */
interface PageState<T> {
  /** Null until it has been loaded. */
  readonly data: T | null;
  /** Why it could not be loaded, or is not up to date. */
  readonly problem: string | null;
  readonly reload: () => void;
}

const latest = new Map<string, unknown>();

const stopped =
  'turnwise view does not answer. It may have been stopped; `turnwise view` starts it.';

/**
 * The data of a page or of a part, kept up to date by the server while the page is visible.
 * @param version - the data are loaded again when it changes
 */
export function usePage<T>(address: string, version: string | number = ''): PageState<T> {
  // The server sends each address one type.
  const [data, setData] = useState<T | null>((latest.get(address) as T | undefined) ?? null);
  const [problem, setProblem] = useState<string | null>(null);
  const [loads, setLoads] = useState(0);
  const load = useContext(Source);
  useEffect(() => {
    const over = new AbortController();
    let events: EventSource | null = null;
    let isLive = false;
    const show = (value: unknown): void => {
      latest.set(address, value);
      setData(value as T);
      setProblem(null);
    };
    const listen = (): void => {
      if (!isLive || events !== null || document.hidden) return;
      events = new EventSource(`/events${address}`);
      events.addEventListener('data', (event: MessageEvent<string>) =>
        show(JSON.parse(event.data)),
      );
      events.addEventListener('problem', (event: MessageEvent<string>) =>
        setProblem((JSON.parse(event.data) as { error: string }).error),
      );
      events.addEventListener('end', () => {
        isLive = false;
        mute();
      });
      events.addEventListener('error', () => setProblem(stopped));
    };
    const mute = (): void => {
      events?.close();
      events = null;
    };
    const onVisible = (): void => (document.hidden ? mute() : listen());
    document.addEventListener('visibilitychange', onVisible);
    void load(address, over.signal).then((loaded) => {
      if (over.signal.aborted) return;
      if ('error' in loaded) {
        setProblem(loaded.error);
        return;
      }
      show(loaded.data);
      isLive = loaded.isLive;
      listen();
    });
    return () => {
      over.abort();
      mute();
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [address, version, loads]);
  return { data, problem, reload: () => setLoads(loads + 1) };
}

/** Where the data of pages come from: the server, or the file that holds them. */
export type Load = (address: string, signal: AbortSignal) => Promise<LoadedPage>;

type LoadedPage = { readonly data: unknown; readonly isLive: boolean } | { readonly error: string };

const loadFromServer: Load = async (address, signal) => {
  try {
    const response = await fetch(`/data${address}`, { signal });
    if (response.headers.get('content-type')?.startsWith('application/json')) {
      return (await response.json()) as LoadedPage;
    }
    return { error: await response.text() };
  } catch {
    return { error: stopped };
  }
};

export const Source = createContext(loadFromServer);

/** Asks the server to do something. Resolves to what was done; rejects with an Error that says why it was not. */
export async function act(address: string, body: unknown): Promise<string> {
  const secret =
    document.querySelector('meta[name=turnwise-action]')?.getAttribute('content') ?? '';
  let response: Response;
  try {
    response = await fetch(`/actions${address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-turnwise-action': secret },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error(stopped);
  }
  const said = (await response.json().catch(() => ({ error: response.statusText }))) as
    { readonly done: string } | { readonly error: string };
  if ('error' in said) throw new Error(said.error);
  return said.done;
}
