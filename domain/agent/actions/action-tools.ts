import type { ActionRef, ParameterSpec, ParameterType, Subject } from './action.js';
import { actionSpec } from './action-specs.js';
import { valueOfField } from './bind-action.js';
import type { Tool } from '../../models/chat-message.js';
import type { PromptTexts } from '../../models/prompt-file.js';
import { jsonDumps } from '../../formats/python/json.js';

/** Actions as tools of a request, with their parameters as JSON schemas. */
export const toolsOf = (
  actions: readonly ActionRef[],
  about?: Subject,
  prompts?: PromptTexts,
): readonly Tool[] =>
  actions.map((action) => {
    const spec = actionSpec(action, about, prompts);
    const { name, description, observation, parameters, isOfPlugin } = spec;
    return {
      name,
      description: `${description} What comes back: ${observation}`,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(
          parameters.map((each) => [each.name, propertyOf(each, isOfPlugin)]),
        ),
        required: parameters.flatMap((each) => (each.default === undefined ? [each.name] : [])),
        additionalProperties: false,
      },
    };
  });

type JsonSchema = Tool['parameters'];

function propertyOf(
  { type, description, default: fallback }: ParameterSpec,
  isOfPlugin = false,
): JsonSchema {
  return {
    ...(isOfPlugin && type === 'int' ? { type: 'integer' } : typeSchemas[type]),
    description,
    ...(fallback !== undefined && { default: jsonOf(fallback) }),
  };
}

const typeSchemas: Readonly<Record<ParameterType, JsonSchema>> = {
  str: { type: 'string' },
  int: { type: 'integer', minimum: 1 },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  'List[float]': { type: 'array', items: { type: 'number' } },
  Any: {
    anyOf: [
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'array', items: {} },
      { type: 'object' },
    ],
  },
};

const jsonOf = (field: Parameters<typeof valueOfField>[0]): JsonSchema[string] =>
  // The cast is safe: every default in our specifications is a JSON value.
  JSON.parse(jsonDumps(valueOfField(field), { indent: null, ascii: false })) as JsonSchema[string];
