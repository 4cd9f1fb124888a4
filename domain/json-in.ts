/** The JSON of a text; undefined where it is none, which no schema of a file or a reply takes. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
