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
