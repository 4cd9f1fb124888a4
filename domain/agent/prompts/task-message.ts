import { repr, pythonFromJson } from '../../formats/python/value.js';
import { renderStoreSchema } from '../../stores/database-schema.js';
import type { PromptTexts } from '../../models/prompt-file.js';
import type { StoreManifest } from '../../stores/store-manifest.js';
import { renderVectorstoreSchema } from '../../stores/vectorstore-schema.js';
import type { AskedItem, SchemaBlock } from '../method.js';
import type { TurnSettings } from '../turn-plan.js';

/** Explanations of the labels in a task. A prompt lists those that its method uses. */
export const taskInputs = {
  question: '[Question]: what is asked.',
  answerFormat:
    '[Answer Format]: the form the final answer must have. It is checked by a program, so follow it to the letter.',
  anchorIds:
    '[Anchor PDF]: the id of the paper the question is about. Several ids are listed under [Anchor PDFs].',
  anchorTitles:
    '[Anchor PDF]: the title of the paper the question is about. Several titles are listed under [Anchor PDFs].',
  referenceIds:
    '[Reference PDF]: the id of a paper that the answer may need, too. Several ids are listed under [Reference PDFs].',
  conference:
    '[Conference]: where the papers in question were published, with the year. Several are listed under [Conferences].',
  database:
    '[Database Schema]: the tables of the database with their columns, types, meaning and keys.',
  vectorstore:
    '[Vectorstore Schema]: the collections of the vectorstore, their fields, the cells of the database that were embedded, and the operators a filter may use.',
  context: '[Context]: what was found about the question beforehand.',
  graphQuery: '[Query]: what was asked about the question so far, in this order.',
  graphAnswer: '[Answer]: what came back.',
} as const;
export type TaskInput = keyof typeof taskInputs;

export const describeInputs = (prompts: PromptTexts, ...inputs: readonly TaskInput[]): string =>
  inputs.map((input) => prompts[`input.${input}`] ?? taskInputs[input]).join('\n');

/** The data of a store that schema blocks are rendered from. */
export type PromptStore = Pick<StoreManifest, 'name' | 'collections' | 'database'> & {
  /** The id of a paper that it holds. */
  readonly paper?: string | undefined;
};

/** The schema block of a task, with its label. */
export function schemaBlock(
  block: SchemaBlock,
  store: PromptStore,
  { strict }: { readonly strict: boolean },
): string {
  switch (block) {
    case 'database':
      return `[Database Schema]: ${renderStoreSchema(store)}`;
    case 'vectorstore':
      return `[Vectorstore Schema]: ${renderVectorstoreSchema(store, 'bare', !strict)}`;
    case 'described-vectorstore':
      return `[Vectorstore Schema]: ${renderVectorstoreSchema(store, 'described', !strict)}`;
  }
}

/** The label that each schema block has in the prompt. */
export const schemaInputs = {
  database: 'database',
  vectorstore: 'vectorstore',
  'described-vectorstore': 'vectorstore',
} as const satisfies Readonly<Record<SchemaBlock, TaskInput>>;

/** How a task names its papers; `none` names neither papers nor conference. */
export type PaperNames =
  | { readonly kind: 'ids' }
  /** By paper id; a paper without a title is named by its id. */
  | { readonly kind: 'titles'; readonly titles: Readonly<Record<string, string>> }
  | { readonly kind: 'none' };

/**
 * The task as the model reads it: labelled blocks in a fixed order (docs/reference/hybrid-agent.md, "The task message").
 * Empty blocks are left out. Papers are quoted as Python strings, conferences are not.
 */
export function taskMessage(
  item: AskedItem,
  names: PaperNames,
  blocks: readonly string[] = [],
  { references = false }: Pick<TurnSettings, 'references'> = {},
): string {
  const named = references ? item : { ...item, reference_pdf: [] };
  const task = [
    `[Question]: ${item.question}`,
    `[Answer Format]: ${item.answer_format}`,
    ...(names.kind === 'none' ? [] : paperBlocks(named, names)),
  ].join('\n');
  return [task.trimEnd(), ...blocks].join('\n');
}

function paperBlocks(
  { anchor_pdf: anchors, reference_pdf: references, conference }: AskedItem,
  names: Exclude<PaperNames, { readonly kind: 'none' }>,
): readonly string[] {
  const nameOf = (id: string): string => (names.kind === 'titles' ? (names.titles[id] ?? id) : id);
  const quoted = (id: string): string => repr(pythonFromJson(nameOf(id)));
  return [
    ...listBlock('Anchor PDF', anchors, quoted),
    ...listBlock('Reference PDF', references, quoted),
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
