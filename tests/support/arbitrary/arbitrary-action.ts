import {
  anyValueOfJson,
  type Action,
  type AnyValue,
} from '../../../domain/agent/actions/action.js';
import type { Json } from '../../../domain/formats/python/value.js';
import fc from './fast-check.js';

/** Texts of all kinds, many of what breaks a format: quotes, brackets, labels, line breaks. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(...Array.from(`'"\\\n\r\t(){}[],=:#&<>-“’é [Action]: [Observation]`)),
  }),
);

const limit = fc.integer({ min: 1, max: 1000 }).map(anyValueOfJson);

const nested: fc.Arbitrary<AnyValue> = fc
  .oneof(
    fc.array(fc.jsonValue()),
    fc.dictionary(anyText, fc.jsonValue()),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  // -0 becomes 0 on its way through JSON, and a JSON value is a Json.
  .map((value) => anyValueOfJson(JSON.parse(JSON.stringify(value)) as Json));

const filled = anyText.filter((text) => text.trim() !== '');

/** Every action, with all that a tolerant reader accepts. */
export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  filled.map((sql): Action => ({ kind: 'RetrieveFromDatabase', sql })),
  fc
    .tuple(filled, limit)
    .map(([query, most]): Action => ({ kind: 'ClassicRetrieve', query, limit: most })),
  fc
    .record({
      query: filled,
      collection_name: filled,
      table_name: filled,
      column_name: filled,
      filter: anyText,
      limit,
    })
    .map((fields): Action => ({ kind: 'RetrieveFromVectorstore', ...fields })),
  filled.map((expr): Action => ({ kind: 'CalculateExpr', expr })),
  filled.map((query): Action => ({ kind: 'QueryGraph', query })),
  fc
    .record({
      paper_id: filled.map((text): AnyValue => ({ kind: 'text', text })),
      page_number: limit,
      bounding_box: fc.constantFrom<Json>([], [1, 2.5, 300, 4]).map(anyValueOfJson),
    })
    .map((fields): Action => ({ kind: 'ViewImage', ...fields })),
  anyText.map((text): Action => ({ kind: 'GenerateAnswer', answer: { kind: 'text', text } })),
  nested.map((answer): Action => ({ kind: 'GenerateAnswer', answer })),
);
