/** A number that may have a fraction: kept apart from whole ones, so that an attribute always has the same type. */
export interface Double {
  readonly double: number;
}

/** What an attribute can hold, a number being a whole one; null and undefined leave it out. */
export type AttributeValue =
  string | number | boolean | Double | readonly string[] | null | undefined;

export const double = (value: number | null | undefined): Double | null =>
  value === null || value === undefined ? null : { double: value };

export type Attributes = Readonly<Record<string, AttributeValue>>;

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Attributes in OTLP's JSON, in which whole numbers are texts. */
export const otlpAttributes = (attributes: Attributes): readonly OtlpAttribute[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: otlpValue(value) }],
  );

function otlpValue(
  value: Exclude<AttributeValue, null | undefined>,
): Readonly<Record<string, unknown>> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  if ('double' in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}
