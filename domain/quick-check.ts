import type { z } from 'zod';

/** True where a value is surely as its schema wants it. False says nothing. */
export type QuickCheck = (value: unknown) => boolean;

/**
 * For values fresh from JSON, nearly all of which are in order: true only where `schema` would accept a value and change
 * nothing but add defaults, which are then added here, to the value itself; in a fraction of the time. Whatever it does
 * not know, and whatever the schema would refuse or change otherwise, is left to the schema.
 */
export function quickCheck(schema: z.core.$ZodType): QuickCheck {
  const def = definitionOf(schema);
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- kinds that no file holds are left to zod
  switch (def.type) {
    case 'string':
      return both((value) => typeof value === 'string', def.checks);
    case 'number':
      return both('format' in def ? numberOf(def.format) : Number.isFinite, def.checks);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'null':
      return (value) => value === null;
    case 'literal':
      return (value) => def.values.some((each) => each === value);
    case 'enum':
      return (value) => Object.values(def.entries).some((each) => each === value);
    case 'nullable':
      return either([(value) => value === null, quickCheck(def.innerType)]);
    case 'optional':
      return either([(value) => value === undefined, quickCheck(def.innerType)]);
    case 'default':
    case 'readonly': // zod would freeze the value, too, which nobody misses
      return quickCheck(def.innerType);
    case 'union':
      return areDistinct(def) ? either(def.options.map(quickCheck)) : unsure;
    case 'array':
      return both(arrayOf(quickCheck(def.element)), def.checks);
    case 'record':
      return both(recordOf(quickCheck(def.keyType), quickCheck(def.valueType)), def.checks);
    case 'object':
      return both(objectOf(def), def.checks);
    case 'lazy':
      return later(def.getter);
    default:
      return unsure;
  }
}

const unsure: QuickCheck = () => false;

/** By their kind: each schema that zod makes is of one of these. */
const definitionOf = (schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] =>
  (schema as z.core.$ZodTypes)._zod.def;

const either =
  (checks: readonly QuickCheck[]): QuickCheck =>
  (value) =>
    checks.some((check) => check(value));

/** Whether no value is for two of a union's members, of which the first would have it, and might change it. */
function areDistinct(def: z.core.$ZodUnionDef): boolean {
  if ('discriminator' in def) return true;
  const kinds = def.options.map((option) => definitionOf(option).type);
  return (
    kinds.every((kind) => isPlain.has(kind) || kind === 'array' || isKeyed.has(kind)) &&
    kinds.filter((kind) => kind === 'array').length <= 1 &&
    kinds.filter((kind) => isKeyed.has(kind)).length <= 1
  );
}

const isPlain: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'null',
  'literal',
  'enum',
]);
const isKeyed: ReadonlySet<string> = new Set(['object', 'record']);

const numberOf = (format: unknown): QuickCheck =>
  format === 'safeint' ? Number.isSafeInteger : unsure;

/** A schema that holds itself is looked into when a value asks for it. */
function later(getter: () => z.core.$ZodType): QuickCheck {
  let check: QuickCheck | undefined;
  return (value) => (check ??= quickCheck(getter()))(value);
}

const arrayOf =
  (isElement: QuickCheck): QuickCheck =>
  (value) =>
    Array.isArray(value) && value.every((element) => isElement(element));

type Keyed = Record<string, unknown>;

/** A key of this name is dropped by schemas. */
const isKeyedValue = (value: unknown): value is Keyed =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !Object.hasOwn(value, '__proto__');

const recordOf =
  (isKey: QuickCheck, isValue: QuickCheck): QuickCheck =>
  (value) =>
    isKeyedValue(value) && Object.keys(value).every((key) => isKey(key) && isValue(value[key]));

/** Keys that are not named are kept by some schemas, and dropped or refused by others. */
function objectOf({ shape, catchall }: z.core.$ZodObjectDef): QuickCheck {
  const fields = Object.entries(shape).map(([key, schema]) => {
    const def = definitionOf(schema);
    return { key, check: quickCheck(schema), preset: def.type === 'default' ? def : null };
  });
  const isLoose = catchall !== undefined && definitionOf(catchall).type === 'unknown';
  return (value) => {
    if (!isKeyedValue(value)) return false;
    let named = 0;
    for (const { key, check, preset } of fields) {
      if (Object.hasOwn(value, key)) named += 1;
      else if (preset !== null) {
        value[key] = ownCopy(preset.defaultValue);
        named += 1;
      }
      if (!check(value[key])) return false;
    }
    return isLoose || Object.keys(value).length === named;
  };
}

/** What one value gets does not change with what another has. */
const ownCopy = (preset: unknown): unknown =>
  Array.isArray(preset) ? [...(preset as readonly unknown[])] : structuredClone(preset);

/** A kind of value, and what is asked of it beyond that. */
function both(isKind: QuickCheck, further: readonly z.core.$ZodCheck[] = []): QuickCheck {
  const checks = further.map((check) => furtherCheck(check));
  return (value) => isKind(value) && checks.every((check) => check(value));
}

/** Only asked about values of the kind that it is for. */
function furtherCheck(check: z.core.$ZodCheck): QuickCheck {
  // zod's own name for all of its checks, of which the others are left to it below.
  const { def } = (check as z.core.$ZodChecks)._zod;
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- as above
  switch (def.check) {
    case 'greater_than':
      return (value) =>
        (value as number) > Number(def.value) || (def.inclusive && value === def.value);
    case 'less_than':
      return (value) =>
        (value as number) < Number(def.value) || (def.inclusive && value === def.value);
    case 'number_format':
      return numberOf(def.format);
    case 'min_length':
      return (value) => (value as string | unknown[]).length >= def.minimum;
    case 'max_length':
      return (value) => (value as string | unknown[]).length <= def.maximum;
    case 'string_format': {
      const { pattern } = def;
      const isPattern = def.format === 'regex' && pattern !== undefined && !pattern.global;
      return isPattern ? (value) => pattern.test(value as string) : unsure;
    }
    case 'overwrite':
      return (value) => def.tx(value) === value;
    default:
      return unsure;
  }
}
