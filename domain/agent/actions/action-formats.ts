import type { PromptTexts } from '../../models/prompt-file.js';
import type { ActionFormat, ActionFormatName, TextFormatName } from './action-format.js';
import { nameOfRef, type ActionRef, type ActionSpec, type Subject } from './action-spec.js';
import { actionSpec } from './action-specs.js';
import { examplesOver, type ExampleStore } from './store-examples.js';
import { jsonFormat } from './json-format.js';
import { markdownFormat } from './markdown-format.js';
import { xmlFormat } from './xml-format.js';
import { yamlFormat } from './yaml-format.js';

export const actionFormats: Readonly<Record<TextFormatName, ActionFormat>> = {
  markdown: markdownFormat,
  json: jsonFormat,
  xml: xmlFormat,
  yaml: yamlFormat,
};

/** The part of a prompt that describes the `actions`, with examples over a store. With `tools` the request's `tools` field describes them. */
export function renderActionSpace(
  actions: readonly ActionRef[],
  format: ActionFormatName,
  store: ExampleStore,
  about?: Subject,
  prompts?: PromptTexts,
): string {
  const list = actions.map((action) => `'${nameOfRef(action)}'`).join(', ');
  const heading = '## Action and Observation Space\n';
  if (format === 'tools') {
    return `${heading}These actions are available: [${list}]. Each is a tool you can call.`;
  }
  const { title } = actionFormats[format];
  return (
    heading +
    `These actions are available: [${list}]. Each is specified below in ${title} format:\n` +
    renderActionSpecs(actions, format, store, about, prompts)
  );
}

/** The specifications without the heading and the list of names. */
export const renderActionSpecs = (
  actions: readonly ActionRef[],
  format: TextFormatName,
  store: ExampleStore,
  about?: Subject,
  prompts?: PromptTexts,
): string =>
  actions
    .map((action) => renderSpec(actionSpec(action, about, prompts), format, store))
    .join('\n----\n');

function renderSpec(spec: ActionSpec, format: TextFormatName, store: ExampleStore): string {
  const { title, renderSyntax, renderExample } = actionFormats[format];
  const cases = examplesOver(spec, store).map(
    ({ explanation, action }, index) =>
      `\n#### Case ${index + 1}\n${explanation}\n\n[Action]: ${renderExample(action)}\n`,
  );
  return [
    `\n### Action Type\n${spec.name}\n`,
    `### Description\n${spec.description}\n`,
    `### Observation\n${spec.observation}\n`,
    `### Syntax and Parameters (${title} Format)\n${renderSyntax(spec)}\n`,
    ...(cases.length === 0 ? [] : [`### Use Cases\n${cases.join('\n')}\n`]),
  ].join('\n');
}
