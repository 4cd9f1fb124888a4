import { useEffect, useState } from 'preact/hooks';

let loading: Promise<void> | null = null;

/** Loads the library that lays out SQL. Whether it is there, or cannot be loaded: then statements are shown as they are. */
export function useSqlFormatter(): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    loading ??= new Promise((resolve) => {
      const script = document.createElement('script');
      script.src = '/assets/sql-formatter.js';
      script.addEventListener('load', () => resolve());
      script.addEventListener('error', () => resolve());
      document.head.append(script);
    });
    void loading.then(() => setReady(true));
  }, []);
  return isReady;
}
