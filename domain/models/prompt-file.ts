import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import { didYouMean } from '../formats/did-you-mean.js';

/** Texts that models are told, by name, or some of them. A text may have placeholders, such as `{{task}}`. */
export const promptTextsSchema = z
  .record(z.string(), z.string().trim().min(1).max(20_000))
  .readonly();
export type PromptTexts = z.infer<typeof promptTextsSchema>;

/** Fills the `{{name}}` placeholders of a prompt. Throws when a placeholder has no value. */
export function fillPrompt(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the prompt has no value for {{${name}}}`);
    return value;
  });
}

/** What models are told: a text of `own`, or the one in its place, with its placeholders filled. */
export const toldBy =
  <Name extends string>(own: Readonly<Record<Name, string>>, changes: PromptTexts = {}) =>
  (name: Name, values: Readonly<Record<string, string>> = {}): string =>
    fillPrompt(changes[name] ?? own[name], values);

/** What a file of other texts must hold: each in the place of one of `own`, and with the same placeholders. */
export const promptFileSchema = (own: PromptTexts): z.ZodType<PromptTexts> =>
  promptTextsSchema.superRefine((texts, context) => {
    for (const [name, text] of Object.entries(texts)) {
      const message = problemOf(name, text, own);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
  });

function problemOf(name: string, text: string, own: PromptTexts): string | null {
  const replaced = own[name];
  if (replaced === undefined || !Object.hasOwn(own, name)) {
    const names = Object.keys(own);
    return `is no text${didYouMean(name, names)}: choose one of ${names.join(', ')}`;
  }
  const [wanted, found] = [placeholdersIn(replaced), placeholdersIn(text)];
  const missing = [...wanted].filter((each) => !found.has(each));
  const strange = [...found].filter((each) => !wanted.has(each));
  if (missing.length > 0) return `lacks ${missing.join(', ')}`;
  return strange.length > 0 ? `has ${strange.join(', ')}, which nothing fills` : null;
}

const placeholdersIn = (text: string): ReadonlySet<string> => new Set(text.match(/\{\{\w+\}\}/g));

/** Those of `given` that say something else than the text of `own` in whose place they are. */
export const changesTo = (own: PromptTexts, given: PromptTexts): PromptTexts =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, text]) => Object.hasOwn(own, name) && own[name]?.trim() !== text,
    ),
  );

/** The version of prompts of which some texts are changed: a version of its own for each set of texts. */
export const versionWith = (version: string, changes: PromptTexts = {}): string =>
  Object.keys(changes).length === 0
    ? version
    : `${version}-${uuid5(JSON.stringify(Object.entries(changes).toSorted()), uuid5.URL).slice(0, 8)}`;
