import { counted, joined, preview, sizeText } from '../../../domain/formats/text.js';
import { sum } from '../../../domain/statistics/means.js';
import type { DiskUse } from '../../runs/removal/disk-use.js';
import { listSection, toned, type Section } from './section.js';

const unneededSize = (uses: readonly DiskUse[]): string =>
  sizeText(sum(uses.map(({ unneeded }) => unneeded?.bytes ?? 0)));

/** What nobody needs, inside a sentence. */
export const unneededText = (uses: readonly DiskUse[]): string =>
  `what nobody needs of ${uses.length === 1 ? (uses[0]?.name ?? '') : counted(uses.length, 'thing')} (${unneededSize(uses)})`;

/** What takes space, and what of it nobody needs. */
export function diskSection(uses: readonly DiskUse[]): Section {
  const section = listSection('disk', 'Disk', 'nothing takes any space', {
    heads: ['what', 'size', 'files', 'used by', 'needed by nobody'],
    rows: uses.map(({ name, bytes, objects, usedBy, unneeded }) => [
      ...[name, sizeText(bytes), objects, preview(usedBy.join(', '), 60)],
      unneeded === null ? '' : toned(sizeText(unneeded.bytes), 'warning'),
    ]),
  });
  const words = joined(
    '; ',
    `${sizeText(sum(uses.map(({ bytes }) => bytes)))} in all`,
    uses.some(({ unneeded }) => unneeded !== null) &&
      `nobody needs ${unneededSize(uses)} of it: \`turnwise disk --free\` removes that`,
  );
  return uses.length === 0 ? section : { ...section, words: [words] };
}
