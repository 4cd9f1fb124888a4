import { z } from 'zod';
import { repr } from '../python/text.js';
import { pythonFromJson, type Json, type PythonValue } from '../python/value.js';
import { parsePythonLiteral } from '../python/literal.js';

/**
 * Any Python value, kept as the text it is shown in: `str` and `repr` of what was read, byte for byte, so that it survives
 * JSON and what is wrong with it can be told to the model when its action is carried out.
 */
export const anyValueSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  /** What is not a text; `source` is its `repr`. */
  z.object({ kind: z.literal('literal'), source: z.string() }),
]);
export type AnyValue = Readonly<z.infer<typeof anyValueSchema>>;

export const anyValueOf = (value: PythonValue): AnyValue =>
  value.kind === 'str'
    ? { kind: 'text', text: value.value }
    : { kind: 'literal', source: repr(value) };

/** For values of our own. */
export const anyValueOfJson = (json: Json): AnyValue => anyValueOf(pythonFromJson(json));

/** Null for the few values whose `repr` is no literal, such as an ellipsis. */
export function pythonOfAnyValue(value: AnyValue): PythonValue | null {
  if (value.kind === 'text') return { kind: 'str', value: value.text };
  for (const dialect of ['python', 'lenient'] as const) {
    // Only the lenient dialect takes `nan` and `inf`.
    const parsed = parsePythonLiteral(value.source, dialect);
    if (parsed.kind === 'parsed') return parsed.value;
  }
  return null;
}

/** Python's `str` of the value. */
export const anyValueText = (value: AnyValue): string =>
  value.kind === 'text' ? value.text : value.source;

/** Python's `repr` of the value. */
export const anyValueRepr = (value: AnyValue): string =>
  value.kind === 'text' ? repr({ kind: 'str', value: value.text }) : value.source;
