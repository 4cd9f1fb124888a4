import { v5 as uuid5 } from 'uuid';

/** A labelled text that a judge is shown. */
export interface Section {
  readonly label: string;
  readonly text: string;
}

/** Of the codes that fence sections; any constant would do. */
const namespace = '0d2f6a0e-5f6b-4d5e-9a51-6c0a1d4f7b23';

/**
 * A code that none of the sections holds, made from all of them: the same for the same texts, so that a cached reply is
 * found again, and beyond the reach of whoever wrote one of them, since a text cannot hold its own hash.
 */
export function codeOf(sections: readonly Section[]): string {
  const seed = JSON.stringify(sections.map(({ label, text }) => [label, text]));
  for (let salt = 0; ; salt += 1) {
    const code = uuid5(`${salt} ${seed}`, namespace).replaceAll('-', '');
    if (sections.every(({ text }) => !text.includes(code))) return code;
  }
}

/** The sections, each between two lines that bear the code. */
export const fencedSections = (sections: readonly Section[], code: string): string =>
  sections
    .map(({ label, text }) => `<<<${label} ${code}>>>\n${text}\n<<<end of ${label} ${code}>>>`)
    .join('\n\n');

/** What a message that begins a case says before its sections. */
export const codeLine = (code: string): string => `The code of this case is ${code}.`;

/** The sections of a message as a judge that keeps to the code reads them; null where it begins no case. */
export function readSections(
  message: string,
): { readonly code: string; readonly sections: readonly Section[] } | null {
  const [, code] = /^The code of this case is ([0-9a-f]{32})\.\n/.exec(message) ?? [];
  if (code === undefined) return null;
  const pattern = new RegExp(`<<<(.+?) ${code}>>>\n(.*?)\n<<<end of \\1 ${code}>>>`, 'gs');
  const sections = [...message.matchAll(pattern)].map(([, label = '', text = '']) => ({
    label,
    text,
  }));
  return { code, sections };
}
