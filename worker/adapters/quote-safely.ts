const longestQuote = 200;
/** A run this long that a reply shares with a prompt is taken for an echo of it. */
const echo = 16;

/**
 * What a provider said, for a message that enters the history: one line, cut, in quotation marks.
 * Empty when it repeats a piece of `secrets`: providers like to echo the key or the request they refuse.
 */
export function quoteSafely(said: string, secrets: readonly string[]): string {
  const quote = oneLine(said).slice(0, longestQuote);
  const hidden = secrets.map(oneLine);
  const tells = hidden.some((secret) =>
    secret.length < echo
      ? secret !== '' && quote.includes(secret)
      : windows(quote).some((piece) => secret.includes(piece)),
  );
  return quote === '' || tells ? '' : `"${quote}"`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const windows = (text: string): readonly string[] =>
  Array.from({ length: Math.max(0, text.length - echo + 1) }, (_, at) => text.slice(at, at + echo));
