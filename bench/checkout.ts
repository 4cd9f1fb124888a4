import { fileURLToPath } from 'node:url';

/** The folder of the checkout; found from source too, as in tests. */
export const checkout = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '..' : '../..', import.meta.url),
);
