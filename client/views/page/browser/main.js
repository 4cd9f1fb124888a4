import { element } from './element.js';
import { findQuestion, pictureAt } from './packs.js';
import { questionView } from './question-view.js';
import { shownRows, wireQuestionsTable } from './questions-table.js';
import { sidesView } from './sides-view.js';

const overview = /** @type {HTMLElement} */ (document.getElementById('overview'));
const trajectory = /** @type {HTMLElement} */ (document.getElementById('trajectory'));
const title = document.title;
/** The target of links back to the overview, which restore its scroll position. */
const returnTo = '#questions';
let overviewScroll = 0;

/** Shows what the address names: a question's conversation in one or two runs, or else the overview. */
async function show() {
  const { hash } = location;
  const target = targetOf(hash);
  if (!target) {
    showOverview();
    return;
  }
  if (trajectory.hidden) overviewScroll = scrollY;
  const { runs, uuid, epoch } = target;
  const found = await Promise.all(
    runs.map((run) => findQuestion(run, uuid, epoch).catch(() => null)),
  );
  // The reader may have moved on during unpacking.
  if (location.hash !== hash) return;
  const [first, second] = found;
  trajectory.replaceChildren(
    stepLinks(hash),
    ...(found.includes(null) || !first
      ? [leftOut(runs, uuid)]
      : second
        ? sidesView(first, second, pictureAt)
        : questionView(first, pictureAt)
    ).filter((part) => part !== null),
  );
  trajectory.hidden = false;
  overview.hidden = true;
  document.title = `${first?.question ?? uuid} · ${title}`;
  scrollTo(0, 0);
  trajectory.focus({ preventScroll: true });
}

/**
 * @param {string} hash
 * @returns {{ runs: readonly string[], uuid: string, epoch: number } | null}
 */
function targetOf(hash) {
  const [kind, ...parts] = hash.slice(1).split('/');
  const epoch = Number(parts.pop());
  const uuid = parts.pop();
  const fits = (kind === 'q' && parts.length === 1) || (kind === 'c' && parts.length === 2);
  return fits && uuid !== undefined ? { runs: parts, uuid: decodeURIComponent(uuid), epoch } : null;
}

function showOverview() {
  if (trajectory.hidden) return;
  trajectory.hidden = true;
  overview.hidden = false;
  document.title = title;
  scrollTo(0, overviewScroll);
  const target =
    location.hash === returnTo ? null : document.getElementById(location.hash.slice(1));
  target?.scrollIntoView();
}

/** @param {string} hash - of the question on display */
function stepLinks(hash) {
  const links = shownRows().map((row) => row.querySelector('a')?.getAttribute('href') ?? '');
  const at = links.indexOf(hash);
  const previous = links[at - 1];
  const next = at === -1 ? undefined : links[at + 1];
  return element(
    'nav',
    { class: 'steps', 'aria-label': 'Questions' },
    element('a', { href: returnTo }, '← all questions'),
    previous === undefined ? null : element('a', { href: previous }, 'previous'),
    next === undefined ? null : element('a', { href: next }, 'next'),
    at === -1 ? null : element('span', { class: 'faint' }, `${at + 1} of ${links.length}`),
  );
}

/**
 * @param {readonly string[]} runs
 * @param {string} uuid
 */
const leftOut = (runs, uuid) =>
  element(
    'div',
    { class: 'note' },
    'This page has no room for the conversation, or the browser is too old to unpack it. In the terminal:',
    ...runs.map((run) => element('pre', {}, `turnwise trajectory ${run} ${uuid}`)),
  );

wireQuestionsTable();
addEventListener('hashchange', () => void show());
void show();
