import { z } from 'zod';
import { isSameSample, personSchema, sampleKeySchema, type SampleKey } from '../ids.js';

export const noteTextSchema = z.string().trim().max(2_000, 'must have at most 2000 characters');

export const noteTagSchema = z
  .string()
  .trim()
  .regex(
    /^[^\p{Cc}\p{Zl}\p{Zp},]{1,50}$/u,
    'must be 1 to 50 characters on one line, without a comma',
  );

/** How `runs note --remove` names a note. */
const noteIdSchema = z.string().regex(/^[0-9a-f]{8}$/, 'must be 8 hexadecimal digits');

const tagsSchema = z.array(noteTagSchema).max(20).readonly();

/** A note, as a reader writes it. */
export const writtenNoteSchema = z
  .strictObject({
    by: personSchema,
    /** Null where it is on the run itself. */
    about: sampleKeySchema.nullable(),
    text: noteTextSchema.default(''),
    tags: tagsSchema.transform((tags) => [...new Set(tags)]).default([]),
  })
  .refine(({ text, tags }) => text !== '' || tags.length > 0, 'needs a text or a tag');

const line = { id: noteIdSchema, at: z.iso.datetime(), by: personSchema };
const noteSchema = z.object({
  ...line,
  kind: z.literal('note'),
  about: sampleKeySchema.nullable(),
  text: noteTextSchema,
  tags: tagsSchema,
});
export type Note = Readonly<z.infer<typeof noteSchema>>;

/** A line of the file of a run's notes. Lines are only added: a removal is one, too. */
export const noteLineSchema = z.discriminatedUnion('kind', [
  noteSchema,
  z.object({ ...line, kind: z.literal('removal'), note: noteIdSchema }),
]);
export type NoteLine = Readonly<z.infer<typeof noteLineSchema>>;

/** The notes that stand, the oldest first. */
export function notesIn(lines: readonly NoteLine[]): readonly Note[] {
  const removed = new Set(lines.flatMap((each) => (each.kind === 'removal' ? [each.note] : [])));
  return lines
    .filter((each) => each.kind === 'note')
    .filter(({ id }) => !removed.has(id))
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** Those on a question, or on the run itself. */
export const notesAbout = (notes: readonly Note[], key: SampleKey | null): readonly Note[] =>
  notes.filter(({ about }) => (about && key ? isSameSample(about, key) : about === key));

/** Each once, in the order of the notes. */
export const tagsOf = (notes: readonly Note[]): readonly string[] => [
  ...new Set(notes.flatMap(({ tags }) => tags)),
];

/** `label-error, good example: the gold has a typo`. */
export const noteText = ({ tags, text }: Note): string =>
  [tags.join(', '), text].filter((part) => part !== '').join(': ');
