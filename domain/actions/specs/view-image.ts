import type { ActionSpec } from '../action-spec.js';
import { anyValueOfJson } from '../any-value.js';

export const viewImage: ActionSpec = {
  name: 'ViewImage',
  description:
    'Look at a page of a paper as a picture, or at a part of it: for figures, plots, tables and formulas whose text does not tell enough.',
  observation: 'The picture, or why there is none.',
  parameters: [
    {
      name: 'paper_id',
      type: 'str',
      unchecked: true,
      description: 'The id of the paper.',
    },
    {
      name: 'page_number',
      type: 'int',
      description: 'The page, counted from 1.',
    },
    {
      name: 'bounding_box',
      type: 'List[float]',
      default: anyValueOfJson([]),
      description:
        'The part of the page to show: [x, y, width, height] in PDF points from the top left corner. An empty list shows the whole page.',
    },
  ],
  examples: [
    {
      explanation: "Look at the whole of page 4 of paper 'p-17', where the architecture is drawn.",
      action: {
        kind: 'ViewImage',
        paper_id: { kind: 'text', text: 'p-17' },
        page_number: anyValueOfJson(4),
        bounding_box: anyValueOfJson([]),
      },
    },
    {
      explanation:
        "Read the values off a plot on page 7 of paper 'p-17' whose box was found in the images table.",
      action: {
        kind: 'ViewImage',
        paper_id: { kind: 'text', text: 'p-17' },
        page_number: anyValueOfJson(7),
        bounding_box: anyValueOfJson([72, 90, 450, 210.5]),
      },
    },
  ],
};
