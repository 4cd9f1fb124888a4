import { browserScript } from '../page/document.js';
import { pageStyle } from '../page/page-style.js';
import { markup } from '../page/markup.js';

/** What pages load, by name. */
export type ViewAssets = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

/** The script and the style of the pages. */
export const viewAssets = (): ViewAssets => ({
  'view.js': { type: 'text/javascript; charset=utf-8', text: browserScript('view') },
  'view.css': { type: 'text/css; charset=utf-8', text: `${pageStyle}${viewStyle}${datasetStyle}` },
});

/** The document of every page: the script makes the rest. Its element `main` is filled by the script. */
export const shell = (actionSecret: string): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="turnwise-action" content="${actionSecret}">
<title>turnwise</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/view.css">
<script type="module" src="/assets/view.js"></script>
</head>
<body>
<div id="app"><noscript><p class="note">turnwise view needs JavaScript. \`turnwise report\` writes pages that do not.</p></noscript></div>
</body>
</html>
`.text;

/** What the pages of `turnwise view` have besides the style of every page. */
const viewStyle = `
.parts { margin-bottom: 1rem; padding-bottom: 0.4rem; border-bottom: 1px solid var(--line); }
.parts ul { display: flex; gap: 0.25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
.problem { border-left-color: var(--warn); }
.breaks { overflow-wrap: anywhere; }
.when { white-space: nowrap; font-variant-numeric: tabular-nums; }
.lead { width: 1.75rem; }
.lead input { margin: 0.1rem 0 0; }
.questions.runs .question { min-width: 10rem; overflow-wrap: anywhere; }
.runs .under.failure::before { content: none; }
.runs td.n { white-space: normal; }
.score-cell { display: block; white-space: nowrap; }
.state.running { color: var(--accent); font-weight: 600; }
.state.waiting, .state.held, .state.paused, .state.stopped { color: var(--warn); }
.chosen { position: sticky; bottom: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: center; padding: 0.6rem 0; background: var(--paper); border-top: 1px solid var(--ink); }
button.first { border-color: var(--accent); color: var(--accent); font-weight: 600; }

.plain { margin: 0.4rem 0; padding: 0; list-style: none; }
.progress { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; max-width: none; }
progress { width: min(28rem, 100%); height: 0.6rem; accent-color: var(--accent); }
.turns { margin: 0.4rem 0; padding: 0; list-style: none; }
.turns li { display: grid; grid-template-columns: 4.5rem minmax(8rem, 14rem) minmax(0, 1fr); gap: 0.75rem; padding: 0.2rem 0; border-bottom: 1px solid var(--line); }
.turns .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.turns code { white-space: nowrap; }
.turns a { overflow-wrap: anywhere; }


dialog { color: var(--ink); background: var(--paper); border: 1px solid var(--faint); border-radius: 3px; padding: 1.25rem; width: min(30rem, calc(100vw - 2rem)); }
dialog::backdrop { background: rgb(0 0 0 / 0.4); }
dialog h2 { margin: 0 0 0.5rem; padding: 0; border: 0; font-size: 1.15rem; }
.fields { display: grid; gap: 0.6rem; }
.fields label { display: grid; gap: 0.15rem; color: var(--faint); font-size: 0.8rem; }
.fields .check { display: block; }
@media (max-width: 45rem) {
  .turns li { grid-template-columns: 4.5rem minmax(0, 1fr); }
  .turns .what { grid-column: 1 / -1; white-space: normal; }
  .turns code { white-space: pre-wrap; }
  .runs td[data-name='questions']::after { content: ' questions'; }
  .facts { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .small th[scope=row] { min-width: 6rem; }
  .runs, .runs thead, .runs tbody, .runs caption { display: block; }
  .runs thead tr { display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; }
  .runs thead th { border: 0; padding: 0; }
  .runs thead .lead { display: none; }
  .runs tbody tr { display: grid; grid-template-columns: 1.75rem repeat(2, minmax(0, 1fr)); gap: 0.1rem 0.75rem; padding: 0.5rem 0; border-top: 1px solid var(--line); }
  .runs tbody td, .runs tbody th { border: 0; padding: 0; text-align: left; }
  .questions.runs .question { min-width: 0; max-width: none; grid-column: 2 / -1; font-weight: 600; }
  .runs tbody td:not(.lead) { grid-column: auto; }
  .runs tbody td[data-name='state'], .runs tbody td[data-name='cost'], .runs tbody td[data-name='started (UTC)'], .runs tbody td[data-name='model'] { grid-column: 2; }
  .runs tbody td[data-name='score'], .runs tbody td[data-name='questions'], .runs tbody td[data-name='method'], .runs tbody td[data-name='dataset'] { grid-column: 3; }
  .runs .under { display: inline; }
  input[type=search] { width: 100%; }
}
`;

/** What the pages of datasets that are built have besides the style of the view. */
const datasetStyle = `
.review { display: grid; grid-template-columns: minmax(0, 3fr) minmax(19rem, 2fr); gap: 0 2.5rem; align-items: start; }
.evidence, .decision { min-width: 0; }
.part h2, .decision h2 { font: 600 1rem/1.3 var(--sans); margin: 1.25rem 0 0.1rem; padding-top: 0.5rem; border-top: 1px solid var(--line); }
.part h3 { font: 600 0.875rem/1.3 var(--mono); margin: 0.75rem 0 0.25rem; }
.part .under { margin: 0 0 0.35rem; }
.prose, .difference { font: 1rem/1.5 var(--text); white-space: pre-wrap; overflow-wrap: anywhere; max-width: 70ch; }
.difference ins { text-decoration: underline; text-decoration-thickness: 1px; background: color-mix(in srgb, #14804a 22%, var(--paper)); }
.difference del { background: color-mix(in srgb, #d11a2a 18%, var(--paper)); }
.part details .difference { font: 0.8125rem/1.45 var(--mono); max-width: none; }
.evidence > details { margin-top: 1.25rem; }
.part .query { margin: 0.5rem 0 0.9rem; }
.part .observation .short { white-space: nowrap; }
.decision { position: sticky; top: 3rem; max-height: calc(100vh - 4rem); overflow: auto; padding: 0 0.25rem 1rem 1.25rem; border-left: 1px solid var(--line); }
.decision h2 { border: 0; padding: 0; margin-top: 0; scroll-margin-top: 3rem; }
.decide fieldset { border: 0; margin: 0; padding: 0; display: grid; gap: 0.3rem; }
.decide legend { color: var(--faint); font-size: 0.8rem; padding: 0; }
.decide .check { color: var(--ink); font-size: 0.875rem; }
.decide p:empty { display: none; }
textarea { font: inherit; font-size: 0.875rem; width: 100%; color: var(--ink); background: var(--paper); border: 1px solid var(--faint); border-radius: 2px; padding: 0.3rem 0.4rem; resize: vertical; }
textarea.code { font: 0.8125rem/1.45 var(--mono); }
.gate-rows .row { grid-template-columns: minmax(0, 1fr) minmax(6rem, 11rem) minmax(6rem, 11rem) minmax(6rem, 11rem) 8.5rem; }
.datasets th[scope=row] { font-weight: 600; }
@media (max-width: 45rem) {
  .datasets thead th:last-child, .datasets td[data-name='model'] { display: none; }
  .review { grid-template-columns: minmax(0, 1fr); }
  .part .observation .short { white-space: nowrap; }
.decision { position: static; max-height: none; padding: 1rem 0 0; margin-top: 1.5rem; border-left: 0; border-top: 1px solid var(--ink); }
  .gate-rows .rows-head .row { display: flex; flex-wrap: wrap; gap: 0.1rem 0.8rem; }
  .gate-rows .rows-body .row { grid-template-columns: repeat(3, minmax(0, 1fr)); grid-template-rows: 1.9rem 1.6rem; align-content: center; }
  .gate-rows [data-name='since (UTC)'] { display: none; }
}
`;
