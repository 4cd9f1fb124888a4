/** What the pages of datasets that are built have besides the style of the view. */
export const datasetStyle = `
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
