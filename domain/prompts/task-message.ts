import type { AskedItem } from '../methods/method.js';
import { repr } from '../python/text.js';
import { pythonFromJson } from '../python/value.js';

/** How a task names its papers; `none` names neither papers nor conference. */
export type PaperNames =
  | { readonly kind: 'ids' }
  /** By paper id; a paper without one goes by its id. */
  | { readonly kind: 'titles'; readonly titles: Readonly<Record<string, string>> }
  | { readonly kind: 'none' };

/**
 * The task as the model reads it: labelled blocks in a fixed order, absent ones left out
 * (hybrid-agent.md §1.1). Papers are quoted, conferences are not.
 */
export function taskMessage(
  item: AskedItem,
  names: PaperNames,
  blocks: readonly string[] = [],
): string {
  const task = [
    `[Question]: ${item.question}`,
    `[Answer Format]: ${item.answer_format}`,
    ...(names.kind === 'none' ? [] : paperBlocks(item, names)),
  ].join('\n');
  return [task.trimEnd(), ...blocks].join('\n');
}

function paperBlocks(
  { anchor_pdf: anchors, conference }: AskedItem,
  names: Exclude<PaperNames, { readonly kind: 'none' }>,
): readonly string[] {
  const nameOf = (id: string): string => (names.kind === 'titles' ? (names.titles[id] ?? id) : id);
  return [
    ...listBlock('Anchor PDF', anchors, (id) => repr(pythonFromJson(nameOf(id)))),
    ...listBlock('Conference', conference, (name) => name),
  ];
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
