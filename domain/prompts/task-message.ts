import type { DatasetItem } from '../questions/dataset-item.js';
import { repr } from '../python/text.js';
import { pythonFromJson } from '../python/value.js';

/**
 * The task as the model reads it: labelled blocks in a fixed order, absent ones left out
 * (hybrid-agent.md §1.1). Paper ids are quoted, conferences are not.
 */
export function taskMessage(item: DatasetItem, schemaBlocks: readonly string[]): string {
  const task = [
    `[Question]: ${item.question}`,
    `[Answer Format]: ${item.answer_format}`,
    ...listBlock('Anchor PDF', item.anchor_pdf, (id) => repr(pythonFromJson(id))),
    ...listBlock('Conference', item.conference, (name) => name),
  ].join('\n');
  return [task.trimEnd(), ...schemaBlocks].join('\n');
}

function listBlock(
  label: string,
  entries: readonly string[],
  render: (entry: string) => string,
): string[] {
  const [first] = entries;
  if (first === undefined) return [];
  return entries.length === 1
    ? [`[${label}]: ${render(first)}`]
    : [`[${label}s]: [${entries.map(render).join(', ')}]`];
}
