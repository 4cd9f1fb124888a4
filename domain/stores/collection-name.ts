/** The name of a text collection (hybrid-agent.md §7.1): `text_`, the kind of embedder and the model without its path. */
export function textCollectionName(kind: string, model: string): string {
  const basename = model.split('/').at(-1) ?? model;
  return `text_${kind}_${basename}`.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
}
