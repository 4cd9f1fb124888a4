import type { TextFormatName } from './action-format-names.js';
import type { ActionFormat } from './action-format.js';
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
