import type { Field, ParameterSpec } from './action-spec.js';
import type { ActionFormat } from './action-formats.js';
import { repr } from '../python/text.js';

/** An action as a Python call with every parameter named, defaults included, in the order of its schema. */
export const markdownFormat: ActionFormat = {
  title: 'MARKDOWN',
  renderSyntax: ({ name, parameters }) => {
    const signature = parameters.map(signaturePart).join(', ');
    return [`${name}(${signature})`, ...parameters.map(bullet)].join('\n');
  },
  renderAction: ({ kind, ...fields }) => {
    const parts = Object.entries<Field>(fields).map(
      ([name, field]) => `${name}=${fieldRepr(field)}`,
    );
    return `${kind}(${parts.join(', ')})`;
  },
};

function fieldRepr(field: Field): string {
  if (typeof field === 'string') return repr({ kind: 'str', value: field });
  if (typeof field === 'number') return field.toString();
  return field.kind === 'text' ? fieldRepr(field.text) : field.source;
}

const signaturePart = ({ name, type, default: fallback }: ParameterSpec): string =>
  `${name}: ${type}${fallback === undefined ? '' : ` = ${fieldRepr(fallback)}`}`;

function bullet({ name, type, default: fallback, description }: ParameterSpec): string {
  const need = fallback === undefined ? 'required' : `optional, default to ${fieldRepr(fallback)}`;
  return `- ${name}: ${type}, ${need}. ${description}`;
}
