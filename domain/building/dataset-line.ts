import { scratchTables } from './scratch-tables.js';
import type { Build, Texts } from './build.js';
import { categoryOf } from './dataset-summary.js';
import type { Item } from './item.js';
import { seedOfItem } from './build.js';

/** A line of a finished dataset, in the shape that `turnwise run` reads. */
export function datasetLine(
  build: Build,
  item: Item,
  texts: Texts,
): Readonly<Record<string, unknown>> {
  const { seed, database } = seedOfItem(build, item.id);
  const { creates } = scratchTables(database);
  return {
    uuid: item.id,
    question: texts.question?.text ?? '',
    database: {
      ddl: creates.map(({ sql }) => sql).join('\n\n'),
      rows: texts.rows?.text ?? '',
    },
    category: categoryOf(item),
    referenceAnswer: texts.answer?.text ?? '',
    goldQueries: (texts.queries?.results ?? []).map(({ sql }) => ({ sql })),
    seedQuestion: seed.question,
    ...(seed.source !== null && { source: seed.source }),
    ...(seed.licence !== null && { licence: seed.licence }),
    provenance: {
      dataset: build.dataset,
      schema: database.name,
      versions: item.versions.map(({ version, part, at, by }) => ({ version, part, at, by })),
      decisions: item.decisions,
    },
  };
}
