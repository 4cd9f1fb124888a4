/**
 * The style of the page of a paper, after that of every page. Kinds have one colour on the pictures, in the legend and beside
 * items. An item that is pointed at, or that a link leads to, is marked in its text and on the page.
 * @param items - their ids
 */
export const paperStyle = (items: readonly string[]): string => `
body { max-width: 110rem; }
.k-front { --kind: #7b3fb5; } .k-section { --kind: #4a6b8a; } .k-table { --kind: #14804a; } .k-figure { --kind: #c26a00; }
.k-equation { --kind: #b0297a; } .k-reference { --kind: #1f6fd1; } .k-footnote { --kind: #7a5a2a; } .k-left { --kind: #d11a2a; } .k-running { --kind: #888; }
.overview { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 3rem; }
.doubts { margin: 0; padding-left: 1.1rem; }
.doubts li { overflow-wrap: anywhere; }
.strip { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0; padding: 0; list-style: none; font-variant-numeric: tabular-nums; max-height: 16rem; overflow: auto; }
.strip a { display: block; padding: 0.1rem 0.4rem; border: 1px solid var(--line); border-radius: 2px; text-decoration: none; color: inherit; }
.strip span { color: var(--faint); font-size: 0.75rem; }
.strip .much { border-color: #d11a2a; background: color-mix(in srgb, #d11a2a 14%, var(--paper)); }
.tree { margin: 0; padding: 0; list-style: none; max-height: 28rem; overflow: auto; }
.tree a { color: inherit; }
.level-2 { padding-left: 1.25rem; } .level-3 { padding-left: 2.5rem; } .level-4 { padding-left: 3.75rem; }
.level-5 { padding-left: 5rem; } .level-6 { padding-left: 6.25rem; }
.legend { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.6rem 0; margin-top: 1.5rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.legend label { display: flex; align-items: center; gap: 0.3rem; }
.legend label[class]::before { content: ''; width: 0.85rem; height: 0.85rem; border: 2px solid var(--kind); background: color-mix(in srgb, var(--kind) 18%, transparent); }
.legend .n { color: var(--faint); }
html { scroll-padding-top: 4rem; }
.page { content-visibility: auto; contain-intrinsic-size: auto 62rem; padding-bottom: 1.25rem; }
.page h3 { margin: 1rem 0 0.4rem; }
.row { display: grid; grid-template-columns: minmax(0, 1.25fr) minmax(0, 1fr); gap: 1.25rem; }
.sheet { position: relative; align-self: start; background: #fff; border: 1px solid var(--line); }
.sheet img { display: block; width: 100%; height: auto; }
.sheet svg { display: block; width: 100%; height: auto; }
.sheet img + svg { position: absolute; inset: 0; height: 100%; }
.sheet text { fill: #444; font-family: var(--sans); }
.sheet rect { --fill: 0.08; --stroke: 1; fill: var(--kind); fill-opacity: var(--marked-fill, var(--fill)); stroke: var(--kind); stroke-width: var(--marked-stroke, var(--stroke)); pointer-events: all; }
.sheet rect.text { --fill: 0.03; --stroke: 0.4; stroke-dasharray: 2 2; }
.sheet rect:is(.heading, .k-left) { --fill: 0.2; }
.sheet rect.before, .sheet rect.removed { --stroke: 1.6; fill: none; stroke-dasharray: 5 3; }
.sheet rect.added, .sheet rect.changed { --fill: 0.25; --stroke: 2; }
.sheet a:focus-visible { outline: none; }
.found { overflow: auto; max-height: 90vh; position: sticky; top: 3.5rem; align-self: start; padding-right: 0.5rem; }
.item { border-left: 4px solid var(--kind); padding: 0.1rem 0 0.1rem 0.6rem; margin: 0 0 0.6rem; overflow-wrap: anywhere; background: var(--marked, transparent); }
.item h4 { margin: 0; font: 600 0.875rem/1.4 var(--sans); }
.item h4 a { color: inherit; }
.item h4 .faint { font-weight: 400; }
.item p { margin: 0.15rem 0; max-width: none; }
.item.removed { border-left-style: dashed; opacity: 0.85; }
.item .mark { color: var(--warn); font-weight: 600; }
.tree .added, .tree .changed, .tree .removed { color: var(--warn); }
.cells { font-size: 0.8125rem; line-height: 1.3; }
.cells td, .cells th { border: 1px solid var(--line); padding: 0.1rem 0.35rem; white-space: pre-wrap; }
.cells th { background: var(--shade); color: inherit; }
.both { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.5rem; }
.both .gone { border-left: 2px dashed var(--warn); padding-left: 0.5rem; }
ins { text-decoration: none; background: color-mix(in srgb, #14804a 25%, var(--paper)); }
del { background: color-mix(in srgb, #d11a2a 20%, var(--paper)); }
${['front', 'section', 'table', 'figure', 'equation', 'reference', 'footnote', 'left', 'running']
  .map((kind) => `body:has(#show-${kind}:not(:checked)) :is(rect, .item).k-${kind}`)
  .join(',\n')} { display: none; }
${[
  ':is(g, .item):target',
  ...items.map(
    (id) => `.row:has([data-item="${id}"]:is(:hover, :focus-within, :target)) [data-item="${id}"]`,
  ),
].join(
  ',\n',
)} { --marked-fill: 0.35; --marked-stroke: 2.5; --marked: color-mix(in srgb, var(--kind) 14%, var(--paper)); }
body:has(#only-differences:checked) :is(.item.same, .item.k-left, rect.same, rect.text, rect.heading, rect.k-left) { display: none; }
@media (max-width: 55rem) { .overview, .row { grid-template-columns: minmax(0, 1fr); } .found { position: static; max-height: none; } }
@media print { .legend { position: static; } .found { max-height: none; overflow: visible; position: static; } .page { content-visibility: visible; } }
`;
