import { element } from './element.js';
import { findQuestion } from './packs.js';
import { questionView } from './question-view.js';
import { shownRows, wireQuestionsTable } from './questions-table.js';

const overview = /** @type {HTMLElement} */ (document.getElementById('overview'));
const trajectory = /** @type {HTMLElement} */ (document.getElementById('trajectory'));
const title = document.title;
/** Where links back to the overview lead: to where it was left. */
const returnTo = '#questions';
let overviewScroll = 0;

/** Shows what the address asks for: a question's conversation, or else the overview. */
async function show() {
  const asked = /^#q\/([^/]+)\/([^/]+)\/(\d+)$/.exec(location.hash);
  if (!asked) {
    showOverview();
    return;
  }
  const [, run = '', uuid = '', epoch = ''] = asked;
  if (trajectory.hidden) overviewScroll = scrollY;
  const found = await findQuestion(run, uuid, Number(epoch)).catch(() => null);
  // Somebody may have gone on while it was unpacked.
  if (location.hash !== asked[0]) return;
  trajectory.replaceChildren(
    stepLinks(asked[0]),
    ...(found ? questionView(found) : [leftOut(run, uuid)]).filter((part) => part !== null),
  );
  trajectory.hidden = false;
  overview.hidden = true;
  document.title = `${found?.question ?? uuid} · ${title}`;
  scrollTo(0, 0);
  trajectory.focus({ preventScroll: true });
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

/** @param {string} hash - of the question that is shown */
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
 * @param {string} run
 * @param {string} uuid
 */
const leftOut = (run, uuid) =>
  element(
    'p',
    { class: 'note' },
    'This page has no room for the conversation, or the browser is too old to unpack it. ',
    element('code', {}, `turnwise trajectory ${run} ${uuid}`),
    ' shows it.',
  );

wireQuestionsTable();
addEventListener('hashchange', () => void show());
void show();
