import { floatText } from '../python/text.js';
import type { Collection } from '../stores/store-manifest.js';
import { cellText } from './cell-text.js';
import type { ObservationFormat } from './observation-format.js';

/**
 * Hits as text, a block each: a table of a fixed width would be as wide as the longest passage. In the reference
 * the passage itself is missing here, and so it is where `strict` (hybrid-agent.md §2.3).
 */
export const searchString =
  (metric: Collection['metric']): ObservationFormat['render'] =>
  ({ columns, rows }, shown, strict) => {
    const blocks = rows.slice(0, shown).map((row) => {
      const [score, ...cells] = columns.map(({ name }, index) => ({
        name,
        cell: row[index] ?? null,
      }));
      const lines = cells
        .filter(({ name }) => name !== 'text' || !strict)
        .map(({ name, cell }) => `    ${name}: ${cellText(cell)}\n`);
      return `Score: ${floatText(Number(score?.cell))}\n${lines.join('')}\n`;
    });
    return `The retrieved results are sorted from the most to least relevant based on metric type ${metric}:\n${blocks.join('')}`;
  };
