/** What may follow a model's own name and leave it the same model: dates, build numbers, `latest`, `preview`. */
const edition = /^(?:[-@](?:\d{3,8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|latest|preview|exp))*$/;

/**
 * The entry for a model in a table by name. A key stands for the model of that name in every edition
 * (`gpt-4o` for `gpt-4o-2024-08-06`, not for `gpt-4o-mini`); one that ends in `*` for all names that begin so.
 * The longest key that fits wins. Capitals do not count; a maker before the last `/` may be left out of the key.
 */
export function matchModel<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  const whole = name.toLowerCase();
  const bare = whole.slice(whole.lastIndexOf('/') + 1);
  return longestFit(entries, whole) ?? longestFit(entries, bare);
}

function longestFit<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  let longest = -1;
  let found: T | undefined;
  for (const [key, entry] of Object.entries(entries)) {
    const stem = key.toLowerCase().replace(/\*$/, '');
    if (stem.length <= longest || !name.startsWith(stem)) continue;
    if (!key.endsWith('*') && !edition.test(name.slice(stem.length))) continue;
    longest = stem.length;
    found = entry;
  }
  return found;
}
