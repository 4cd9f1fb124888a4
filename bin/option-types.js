import { z } from 'zod';

/** The type of a group of options (`domain/option.ts`) as TypeScript that needs no other file, with their help as comments. */
export function optionTypes(name, options) {
  const fields = Object.entries(options).map(([field, { help, type }]) => {
    const schema = z.toJSONSchema(type, { io: 'input' });
    const text = schema.default === undefined ? help : `${help} @defaultValue ${schema.default}`;
    return `  /** ${text} */\n  readonly ${field}?: ${typeOf(schema)} | undefined;\n`;
  });
  return `export interface ${name} {\n${fields.join('')}}\n`;
}

function typeOf({ anyOf, const: word, enum: words, items, type }) {
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (items) return `readonly (${typeOf(items)})[]`;
  if (words ?? word) return (words ?? [word]).map((each) => JSON.stringify(each)).join(' | ');
  return type === 'integer' ? 'number' : type;
}
