import type { SeparatedAnswers } from '../../runs/scoring/separate-answers.js';
import { toned, type Section } from './section.js';

/** The matches by luck, and those that no copy could be made for. */
export const separationSection = ({ matches, lucky, items }: SeparatedAnswers): Section => ({
  id: 'separation',
  title: 'Matches by luck',
  words: [`${matches} match, ${lucky} of them by luck`],
  notes: [],
  tables: [
    {
      caption: 'By luck or not tried',
      heads: ['question', 'epoch', '', 'reason'],
      names: 4,
      isList: true as const,
      rows: items.flatMap(({ uuid, epoch, separation }) =>
        separation.kind === 'luck'
          ? [[uuid, String(epoch), toned('luck', 'bad'), separation.reason]]
          : separation.copies === 0
            ? [[uuid, String(epoch), toned('not tried', 'warning'), 'its gold runs on no copy']]
            : [],
      ),
    },
  ].filter(({ rows }) => rows.length > 0),
});
