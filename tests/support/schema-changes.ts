import type { z } from 'zod';

/** Two values of a schema that differ in one field alone. */
export interface Change {
  /** `outcome(infra-error).message`: in brackets the member of a union, `[]` for each element of a list. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What the walk reads of a schema. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly keyType?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
  readonly in?: z.ZodType;
}

// zod types a definition by its schema; all that are read are in `Definition`.
const definitionOf = (schema: z.ZodType): Definition => schema.def;

/** A change of every field of a schema, at any depth. @param known - values of fields whose texts have a form, by the field's name */
export function changesIn(
  schema: z.ZodType,
  known: Readonly<Record<string, readonly [unknown, unknown]>>,
): readonly Change[] {
  return walk(schema, '');

  function walk(each: z.ZodType, name: string): readonly Change[] {
    const found = known[name];
    if (found) return [{ path: '', before: found[0], after: found[1] }];
    const definition = definitionOf(each);
    const { innerType, shape, options, element, valueType, keyType, entries } = definition;
    switch (definition.type) {
      case 'object':
        return Object.entries(shape ?? {}).flatMap(([key, inner]) =>
          walk(inner, key).map((change) => ({
            path:
              change.path === ''
                ? key
                : `${key}${/^[([]/.test(change.path) ? '' : '.'}${change.path}`,
            before: { ...sampleOf(each), [key]: change.before },
            after: { ...sampleOf(each), [key]: change.after },
          })),
        );
      case 'union': {
        const all = options ?? [];
        const [first, second] = all.map((option) => valueOf(option, name));
        return [
          { path: '', before: first, after: second },
          ...all.flatMap((option) =>
            walk(option, name).map((change) => ({
              ...change,
              path: `(${labelOf(option)})${change.path === '' ? '' : `.${change.path}`}`,
            })),
          ),
        ];
      }
      case 'array':
        return walk(element as z.ZodType, name).map(({ path, before, after }) => ({
          path: `[]${path === '' ? '' : `.${path}`}`,
          before: [before],
          after: [after],
        }));
      case 'record': {
        const [key = 'a'] = Object.values(keyType ? (definitionOf(keyType).entries ?? {}) : {});
        return walk(valueType as z.ZodType, name).map(({ path, before, after }) => ({
          path,
          before: { [key]: before },
          after: { [key]: after },
        }));
      }
      case 'optional':
      case 'nullable':
      case 'default':
      case 'readonly':
        return walk(innerType as z.ZodType, name);
      case 'pipe':
        return walk(definition.in as z.ZodType, name);
      case 'literal':
        return [];
      case 'enum': {
        const [before, after] = Object.values(entries ?? {});
        return [{ path: '', before, after }];
      }
      case 'number':
        return [0.25, 2].some((value) => each.safeParse(value).success)
          ? pair(each.safeParse(0.25).success ? [0.25, 0.75] : [2, 3])
          : pair([0, 1]);
      case 'boolean':
        return pair([true, false]);
      case 'string':
        return pair(
          /At$/.test(name) ? ['2026-01-01T00:00:02Z', '2026-01-01T00:00:03Z'] : ['a1', 'a2'],
        );
      // Any JSON.
      case 'lazy':
      case 'union-json':
      case 'unknown':
        return pair(['u1', 'u2']);
      default:
        throw new Error(`there is no change of a ${definition.type} (${name})`);
    }
  }

  function sampleOf(each: z.ZodType): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      Object.entries(definitionOf(each).shape ?? {}).map(([key, inner]) => [
        key,
        valueOf(inner, key),
      ]),
    );
  }

  /** The value before a change. */
  function valueOf(each: z.ZodType, name: string): unknown {
    const { type, values, innerType } = definitionOf(each);
    if (known[name]) return known[name][0];
    if (type === 'literal') return values?.[0];
    if (innerType) return valueOf(innerType, name);
    if (type === 'object') return sampleOf(each);
    return walk(each, name)[0]?.before;
  }

  function labelOf(option: z.ZodType): string {
    const { shape, type } = definitionOf(option);
    const kind = shape?.['kind'];
    return kind
      ? String(definitionOf(kind).values?.[0])
      : Object.keys(shape ?? { [type]: null }).join('+');
  }
}

const pair = ([before, after]: readonly [unknown, unknown]): readonly Change[] => [
  { path: '', before, after },
];
