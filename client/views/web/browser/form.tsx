import type { JSX } from 'preact';

const key = 'turnwise-person';

/** The name under which this browser's user decides; empty until one was given. */
export function thisPerson(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return ''; // The browser keeps nothing.
  }
}

export function rememberPerson(name: string): void {
  try {
    localStorage.setItem(key, name);
  } catch {
    // The browser keeps nothing: it is asked for again.
  }
}

export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** What a field has with commas between them. */
export const listOf = (form: FormData, name: string): readonly string[] =>
  fieldOf(form, name)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

export const PersonField = ({ label = 'your name' }: { readonly label?: string }): JSX.Element => (
  <label>
    {label}
    <input name="by" required maxLength={100} autocomplete="name" defaultValue={thisPerson()} />
  </label>
);

/** Who has filled in a form with a `PersonField`. The browser remembers it. */
export function personIn(form: FormData): string {
  const by = fieldOf(form, 'by');
  rememberPerson(by);
  return by;
}
