/** What the pages of `turnwise view` have besides the style of every page. */
export const viewStyle = `
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
