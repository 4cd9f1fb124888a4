import { z } from 'zod';
import { firstIssue } from '../formats/json.js';
import { actionNames, anyValueOfJson, type ActionName } from './actions/action.js';
import { isMethodName, methods } from './methods.js';
import {
  pluginMethodSchema,
  type Plugin,
  type PluginActionSpec,
  type PluginMethod,
} from './plugin.js';

const nameSchema = z
  .string('its name is no text')
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'its name has letters, digits, _, - and dots only');

const parameterTypes = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  any: 'Any',
} as const;

const scorerSchema = z.object({ name: nameSchema });

const actionSchema = z.object({
  name: z.string().regex(/^[A-Za-z_]\w{0,63}$/, 'its name has letters, digits and _ only'),
  description: z.string('must be a text').min(1),
  observation: z.string().default('What the action returned, or why it failed.'),
  parameters: z
    .record(
      z.string().regex(/^[A-Za-z_]\w{0,63}$/, 'a parameter has letters, digits and _ only'),
      z.object({
        type: z.enum(Object.keys(parameterTypes) as [keyof typeof parameterTypes], {
          error: 'is string, integer, number, boolean or any',
        }),
        description: z.string('must be a text'),
        default: z.json().optional(),
      }),
    )
    .default({}),
  examples: z
    .array(z.object({ explanation: z.string(), arguments: z.record(z.string(), z.json()) }))
    .default([]),
});

const methodFieldsSchema = z.looseObject({
  name: nameSchema,
  like: z.string().optional(),
  actions: z.array(z.string('must be actions, or their names')).optional(),
});

/** What a module exports, in the order of its exports. Functions are left out; a method names its actions. */
export const exportedSchema = z.array(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('scorer'), definition: z.unknown() }),
    z.object({ kind: z.literal('action'), definition: z.unknown() }),
    z.object({ kind: z.literal('method'), definition: z.unknown() }),
  ]),
);
export type Exported = Readonly<z.infer<typeof exportedSchema>>;

/** A definition of the user's that cannot be used. The message is one sentence without a full stop. */
export class DefinitionError extends Error {}

/**
 * What a plugin defines. Throws DefinitionError.
 * @param isTaken - whether an evaluation function of turnwise has the name
 */
export function definitionsIn(
  exported: Exported,
  isTaken: (scorer: string) => boolean,
): Pick<Plugin, 'actions' | 'methods' | 'scorers'> {
  if (exported.length === 0) {
    throw new DefinitionError(
      'exports nothing that defineScorer, defineMethod or defineAction returned',
    );
  }
  const all = (kind: Exported[number]['kind']): readonly unknown[] =>
    exported.flatMap((each) => (each.kind === kind ? [each.definition] : []));
  const scorers = all('scorer').map((each) => parsed('scorer', scorerSchema, each).name);
  const taken = scorers.find(isTaken);
  if (taken !== undefined)
    throw new DefinitionError(`scorer ${taken}: turnwise has one of that name`);
  const specs = all('action').map(specOf);
  const named = all('method').map((each) => methodOfDefinition(each, specs));
  for (const [kind, names] of [
    ['scorer', scorers],
    ['action', specs.map(({ name }) => name)],
    ['method', named.map(([name]) => name)],
  ] as const) {
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new DefinitionError(`${kind} ${twice} is defined twice`);
  }
  return {
    scorers,
    actions: specs.map(({ name }) => name),
    methods: Object.fromEntries(named),
  };
}

function specOf(definition: unknown): PluginActionSpec {
  const { name, description, observation, parameters, examples } = parsed(
    'action',
    actionSchema,
    definition,
  );
  if (actionNames.some((own) => own.toLowerCase() === name.toLowerCase())) {
    throw new DefinitionError(`action ${name}: turnwise has one of that name`);
  }
  const entries = Object.entries(parameters);
  // As Python has it: parameters with a default come last.
  const ordered = [
    ...entries.filter(([, { default: fallback }]) => fallback === undefined),
    ...entries.filter(([, { default: fallback }]) => fallback !== undefined),
  ];
  return {
    name,
    isOfPlugin: true,
    description,
    observation,
    parameters: ordered.map(([parameter, { type, description: text, default: fallback }]) => ({
      name: parameter,
      type: parameterTypes[type],
      // A text is checked when the action runs, like all others: it may be empty.
      unchecked: true,
      description: text,
      ...(fallback !== undefined && { default: anyValueOfJson(fallback) }),
    })),
    examples: examples.map(({ explanation, arguments: given }) => ({
      explanation,
      action: {
        kind: 'PluginAction',
        name,
        fields: ordered.flatMap(([parameter]) => {
          const value = given[parameter];
          return value === undefined ? [] : [{ name: parameter, value: anyValueOfJson(value) }];
        }),
      },
    })),
  };
}

/** The fields of a method that may be left out. */
const defaults = { kind: 'iterative', schemas: [], hints: [], scope: 'store' } as const;

function methodOfDefinition(
  definition: unknown,
  specs: readonly PluginActionSpec[],
): readonly [string, PluginMethod] {
  const { name, like, actions, ...given } = parsed('method', methodFieldsSchema, definition);
  if (isMethodName(name))
    throw new DefinitionError(`method ${name}: turnwise has one of that name`);
  if (like !== undefined && !isMethodName(like)) {
    throw new DefinitionError(`method ${name}: like: there is no method ${like}`);
  }
  const record = {
    ...(like === undefined ? { ...defaults, summary: name } : methods[like]),
    ...given,
    ...(actions && { actions: withAnswer(actions).map((each) => refOf(name, each, specs)) }),
  };
  return [name, parsed(`method ${name}`, pluginMethodSchema, record)];
}

const withAnswer = (actions: readonly string[]): readonly string[] =>
  actions.includes('GenerateAnswer') ? actions : [...actions, 'GenerateAnswer'];

function refOf(
  method: string,
  name: string,
  specs: readonly PluginActionSpec[],
): ActionName | PluginActionSpec {
  const spec = specs.find((each) => each.name === name);
  if (spec !== undefined) return spec;
  const own = actionNames.find((each) => each === name);
  if (own !== undefined) return own;
  throw new DefinitionError(`method ${method}: there is no action ${name}`);
}

/** Throws DefinitionError with the first problem. @param what - the kind of the definition, with its name if that is known */
function parsed<T>(what: string, schema: z.ZodType<T>, definition: unknown): T {
  const { success, data, error } = schema.safeParse(definition);
  if (success) return data;
  const { name } = z.object({ name: z.string() }).safeParse(definition).data ?? {};
  throw new DefinitionError(
    `${what}${name === undefined || what.includes(' ') ? '' : ` ${name}`}: ${firstIssue(error)}`,
  );
}
