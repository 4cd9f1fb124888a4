import { limits } from './limits.js';

/** DuckDB's advice on settings and folders: nothing that the author of a statement could follow. */
const advice =
  /^(Database is launched|Unused blocks|Launch the database|Or set SET|Possible solutions|See also|\* )/;

/** What an error of DuckDB says about the statement itself: its first lines, candidates and the place in the SQL. */
export function modelMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n').filter((line) => !advice.test(line));
  return lines
    .join('\n')
    .replace(/ Use "SET [^"]*" to increase[^\n]*/, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, limits.messageCharacters);
}

/** DuckDB's errors have their class in front: `Binder Error: …` is a `binder`, `Invalid Input Error: …` an `invalid-input`. */
export function failureClass(message: string): string {
  const [, name] = /^(\w+(?: \w+)*?) Error:/i.exec(message) ?? [];
  return name?.toLowerCase().replaceAll(' ', '-') ?? 'other';
}
