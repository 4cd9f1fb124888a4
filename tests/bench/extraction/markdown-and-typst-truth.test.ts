import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markdownTruth } from '../../../bench/extraction/markdown-truth.js';
import { gap } from '../../../bench/extraction/truth.js';
import { typstTruth } from '../../../bench/extraction/typst-truth.js';

it('reads R Markdown', () => {
  const source = `---
title: "Counting \`fireflies\`"
author:
  - name: Ada Field
  - Bo Marsh
bibliography: lantern.bib
---

## Introduction {#intro}

Fireflies *glow* [@field2001; @marsh2002], says @field2001, with $n$ lamps at ada@example.org.

\`\`\`{r plot, fig.cap="Counts by night"}
# Not a section
\`\`\`

### The **wet** meadow
- one
- two

$$a = b$$

![A lamp](lamp.png)

Method
------
`;
  expect(markdownTruth(source)).toEqual({
    titles: ['Counting fireflies'],
    authors: ['Ada Field', 'Bo Marsh'],
    abstract: null,
    sections: [
      { level: 2, title: 'Introduction' },
      { level: 3, title: 'The wet meadow' },
      { level: 2, title: 'Method' },
    ],
    possibleSections: [],
    captions: [
      { kind: 'figure', text: 'A lamp', cells: [] },
      { kind: 'figure', text: 'Counts by night', cells: [] },
    ],
    references: [{ parts: [] }, { parts: [] }],
    paragraphs: [
      `Fireflies glow ${gap}, says ${gap}, with ${gap} lamps at ada@example.org.`,
      'one',
      'two',
    ],
    displayEquations: 1,
    columns: 1,
  });
});

it('reads what it can of a header that is no YAML', () => {
  expect(
    markdownTruth('---\ntitle: "Owls"\nauthor: "Ada\nField"\n---\n\n# One\n').sections,
  ).toEqual([{ level: 1, title: 'One' }]);
});

it('reads Typst, and the authors and references beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'typst-'));
  writeFileSync(join(folder, 'paper.typ'), '#set document(author: "Ada Field")');
  writeFileSync(
    join(folder, 'references.bib'),
    '@article{field2001,\n  author = {Field, Ada and Marsh, Bo},\n  title = {On {Glow}},\n  year = {2001},\n}\n@book{unused,\n  title = {No},\n}\n',
  );
  const source = `#import "paper.typ": *
#let n = (1, 2)
#show: paper.with(
  title: "Counting Fireflies",
  abstract: [We count (all) night.],
)

= Introduction <intro>

Fireflies @field2001 glow, see @lamps, in $n$ and $m$ meadows. There are #fixed(n, digits: 1) of _them_.
#let row(k) = {
  [#k]
}
#figure(
  ruled(columns: 2, [Meadow], [Count], [wet], ..row(2), [$n$], [412]),
  caption: [Counts by @eq.],
) <counts>

== The wet meadow

$ a = b $ <eq>
#figure(image("lamp.png"), caption: [A lamp.]) <lamps>

#bibliography("references.bib")
`;
  expect(typstTruth(source, join(folder, 'fireflies.typ'))).toEqual({
    titles: ['Counting Fireflies'],
    authors: ['Ada Field'],
    abstract: 'We count (all) night.',
    sections: [
      { level: 1, title: 'Introduction' },
      { level: 2, title: 'The wet meadow' },
    ],
    possibleSections: [],
    captions: [
      { kind: 'table', text: `Counts by ${gap}.`, cells: ['Meadow', 'Count', 'wet', '412'] },
      { kind: 'figure', text: 'A lamp.', cells: [] },
    ],
    references: [{ parts: ['On Glow', '2001', 'Field'] }],
    paragraphs: [
      `Fireflies ${gap} glow, see ${gap}, in ${gap} and ${gap} meadows. There are ${gap} of them.`,
    ],
    displayEquations: 1,
    columns: 2,
  });
});
