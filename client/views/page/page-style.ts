/** The style of every page: light or dark by the reader's system setting, and a plain version for print. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #fcfcfa; --ink: #1d1f21; --faint: #5d6166; --line: #dadad4; --shade: #f1f1ec;
  --accent: #0a5f9e; --accent-soft: #a9c9e2; --warn: #9a4a00;
  --text: 'Iowan Old Style', 'Palatino Linotype', Palatino, 'Book Antiqua', Georgia, serif;
  --sans: system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181a; --ink: #e4e4df; --faint: #9fa3a8; --line: #34373b; --shade: #1f2225;
    --accent: #7fb8e6; --accent-soft: #2f5876; --warn: #e8a25c;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem clamp(0.75rem, 3vw, 2.5rem) 4rem; background: var(--paper); color: var(--ink); font: 0.875rem/1.5 var(--sans); }
[hidden] { display: none !important; }
a { color: var(--accent); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 1px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; }
.skip:focus { position: static; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
h1, h2, h3 { font-family: var(--text); font-weight: 600; line-height: 1.2; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; margin: 0.1rem 0 0.75rem; }
h2 { font-size: 1.35rem; margin: 2.25rem 0 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--ink); }
h3 { font-size: 1.1rem; margin: 1.75rem 0 0.6rem; }
p { margin: 0.4rem 0; max-width: 75ch; }
.kind, .faint { color: var(--faint); }
.kind { margin: 0; }
.top nav ul, nav.steps { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
.note { border-left: 3px solid var(--accent); padding: 0.15rem 0 0.15rem 0.75rem; max-width: 80ch; }

.headline { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 2rem; align-items: center; }
.headline .score { margin: 0; }
.headline .number { display: block; font: 600 3.5rem/1 var(--text); font-variant-numeric: lining-nums tabular-nums; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 0.5rem 1.5rem; margin: 1.25rem 0 0; }
.facts dt, .end dt { color: var(--faint); font-size: 0.8rem; }
.facts dd, .end dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }

table { border-collapse: collapse; text-align: left; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.25rem; }
th, td { padding: 0.2rem 0.6rem 0.2rem 0; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--faint); border-bottom-color: var(--faint); vertical-align: bottom; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.tables { display: flex; flex-wrap: wrap; gap: 1.5rem 3rem; align-items: flex-start; }
.small th[scope=row] { overflow-wrap: anywhere; max-width: 24rem; }

.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1.75rem 2.5rem; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figure h3, figure h4 { margin: 0; font: 600 0.95rem/1.3 var(--sans); }
figcaption { margin-bottom: 0.5rem; }
figcaption p { color: var(--faint); margin: 0.1rem 0; }
figure svg { display: block; max-width: 100%; height: auto; font-family: var(--sans); }
details { margin: 0.35rem 0; }
summary { cursor: pointer; color: var(--faint); }

.filter { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: end; margin: 0.75rem 0; }
.filter label { display: grid; color: var(--faint); font-size: 0.8rem; }
.filter output { color: var(--faint); font-variant-numeric: tabular-nums; }
input, select, button { font: inherit; font-size: 0.875rem; color: var(--ink); background: var(--paper); border: 1px solid var(--faint); border-radius: 2px; padding: 0.2rem 0.4rem; }
input[type=search] { width: 16rem; }
.filter select { max-width: 16rem; }
button { cursor: pointer; }
:is(thead, .rows-head) button { border: 0; background: none; padding: 0; color: inherit; font: inherit; text-align: inherit; }
:is(thead, .rows-head) button::after { content: '\\00a0\\2195'; color: var(--line); }
[aria-sort] button { color: var(--ink); font-weight: 600; }
[aria-sort=ascending] button::after { content: '\\00a0\\2191'; color: var(--accent); }
[aria-sort=descending] button::after { content: '\\00a0\\2193'; color: var(--accent); }
.wide { overflow-x: auto; }
.questions { width: 100%; font-size: 0.8125rem; line-height: 1.35; }
.questions .question { min-width: 18rem; max-width: 30rem; text-align: left; }
.questions tbody .question a { color: inherit; text-decoration-color: var(--accent-soft); }
.questions tbody tr:hover { background: var(--shade); }
.questions .answer { min-width: 8rem; max-width: 12rem; overflow-wrap: anywhere; }
.questions tbody td, .questions tbody th { unicode-bidi: isolate; }

.steps { position: sticky; top: 0; z-index: 1; background: var(--paper); padding: 0.5rem 0; border-bottom: 1px solid var(--line); margin-bottom: 1rem; font-variant-numeric: tabular-nums; }
.end { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.5rem 2rem; margin: 1rem 0; padding: 0.75rem 0; border-block: 1px solid var(--line); }
.end .answer dd, .end .gold dd { font-size: 1rem; max-height: 32rem; overflow: auto; }
.turn { margin-top: 1.5rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
.turn h2 { font: 600 1rem/1.3 var(--sans); margin: 0; padding: 0; border: 0; }
.turn .figures { color: var(--faint); margin: 0; font-variant-numeric: tabular-nums; max-width: none; }
.turn .thought { font: 1rem/1.5 var(--text); }
.failure, .bad, .warning { color: var(--warn); }
.failure::before { content: '\\25B2\\00a0'; }
code, pre { font: 0.8125rem/1.45 var(--mono); overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: isolate; }
pre { margin: 0.5rem 0; padding: 0.5rem 0.75rem; background: var(--shade); }
.observation { margin: 0.5rem 0; padding: 0 0 0 0.75rem; border-left: 3px solid var(--line); max-height: 32rem; overflow: auto; }
.observation table { font-size: 0.8125rem; line-height: 1.35; }
.observation td { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 3rem; max-width: 48rem; }
.observation pre { background: none; padding: 0; }
.observation img { max-width: 100%; border: 1px solid var(--line); background: #fff; }
.verdict-words { font: 1.15rem/1.45 var(--text); max-width: 62rem; margin: 0.5rem 0 1rem; }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 2rem; }
.sides .side-name { margin: 1rem 0 0; }
.sides .end { grid-template-columns: minmax(0, 1fr); }
.sides.differs { border-left: 3px solid var(--accent); padding-left: 0.75rem; margin-top: 1rem; }
.sides .mark { grid-column: 1 / -1; color: var(--accent); font-weight: 600; margin: 0; }
.under { display: block; color: var(--faint); font-size: 0.75rem; }
.published th { color: var(--faint); }
.published th[scope=rowgroup] { padding-top: 0.75rem; }
.published td, .published td.n { color: var(--faint); }
.report-table { font-size: 0.8125rem; line-height: 1.35; margin: 0.5rem 0; }
.report-table td, .report-table th { padding-right: 1rem; white-space: nowrap; }
.report-table thead th { white-space: normal; }
.long { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.query { margin: 0.75rem 0 1.25rem; }
.members h3 { font: 600 0.875rem/1.3 var(--sans); margin: 0.75rem 0 0.25rem; }
.members details { margin: 0.15rem 0; }
.members summary { color: inherit; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.4rem 0; }
.conversation { padding-top: 0.25rem; }
.conversation h1 { font-size: 1.3rem; max-width: 60rem; }
.was-done:empty { display: none; }
.was-done { color: var(--accent); max-width: none; margin: 0; }
.rows { position: relative; max-height: 70vh; overflow: auto; border-bottom: 1px solid var(--line); font-size: 0.8125rem; line-height: 1.35; overflow-anchor: none; }
.rows-head { position: sticky; top: 0; z-index: 1; background: var(--paper); border-bottom: 1px solid var(--faint); }
.rows-head { color: var(--faint); }
.rows-head .n { white-space: normal; }
.rows-head .row { min-height: 2rem; align-items: end; padding-bottom: 0.2rem; }
.rows-body { position: relative; }
.row { display: grid; grid-template-columns: var(--columns); gap: 0 0.75rem; }
.rows-body .row { position: absolute; left: 0; right: 0; align-items: center; border-bottom: 1px solid var(--line); }
.rows-body .row:hover { background: var(--shade); }
.rows-body .row > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; padding: 0.15rem 0; }
.rows-body .row a { color: inherit; text-decoration-color: var(--accent-soft); outline-offset: -2px; }
@media (max-width: 45rem) {
  .small .n { white-space: normal; }
  .small :is(th, td) { padding-right: 0.4rem; }
  .headline, .end, .sides { grid-template-columns: minmax(0, 1fr); }
  .rows-head .row { display: flex; flex-wrap: wrap; gap: 0.1rem 0.8rem; }
  .question-rows .rows-body .row { display: flex; flex-wrap: wrap; align-content: center; gap: 0 0.8rem; overflow: hidden; }
  .question-rows .rows-body .row > .question { width: 100%; }
  .question-rows .rows-body :is(.answer, [data-name='tags'], [data-name='tokens'], [data-name='cost']) { display: none; }
  .question-rows .rows-body [data-name='turns']:not(:empty)::after { content: ' turns'; }
  .rows-body .n { text-align: left; }
}

@media print {
  :root { --paper: #fff; --ink: #000; --faint: #444; --line: #bbb; --shade: #f4f4f4; --accent: #0a5f9e; --accent-soft: #a9c9e2; --warn: #7a3a00; }
  body { max-width: none; padding: 0; font-size: 9pt; }
  .filter, .skip, .steps, .top nav, thead button::after { display: none !important; }
  .wide { overflow: visible; }
  .questions { font-size: 7.5pt; table-layout: auto; }
  .questions .question { min-width: 0; }
  .buttons { display: none; }
  .rows { max-height: none; overflow: visible; font-size: 7.5pt; }
  .rows-head { position: static; }
  .rows-body { height: auto !important; }
  .rows-body .row { position: static; height: auto !important; break-inside: avoid; }
  .rows-body .row > span { white-space: normal; }
  .observation { max-height: none; overflow: visible; }
  thead { display: table-header-group; }
  tr, figure { break-inside: avoid; }
  h2, h3, .turn h2 { break-after: avoid; }
  a { color: inherit; text-decoration: none; }
}
`;
