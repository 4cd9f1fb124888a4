import { render, type JSX } from 'preact';
import { StepLinks } from './components/step-links.jsx';
import { QuestionView, SidesView } from './conversation/question.jsx';
import { findQuestion, pictureAt } from './packs.js';
import { shownRows, wireQuestionsTable } from './questions-table.js';

// The script of the pages that `report`, `compare` and `eval` write. The document has both elements.
const overview = document.getElementById('overview') as HTMLElement;
const trajectory = document.getElementById('trajectory') as HTMLElement;
const { title } = document;
/** The target of links back to the overview, which restore its scroll position. */
const returnTo = '#questions';
let overviewScroll = 0;

/** Shows what the address names: a question's conversation in one or two runs, or else the overview. */
async function show(): Promise<void> {
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
  const [first = null, second] = found;
  render(
    <div key={hash}>
      <StepLinks
        label="Questions"
        back={[returnTo, 'all questions']}
        links={shownRows().map((row) => row.querySelector('a')?.getAttribute('href') ?? '')}
        here={hash}
      />
      {first === null || second === null ? (
        <LeftOut runs={runs} uuid={uuid} />
      ) : second === undefined ? (
        <QuestionView question={first} pictureAt={pictureAt} />
      ) : (
        <SidesView before={first} after={second} pictureAt={pictureAt} />
      )}
    </div>,
    trajectory,
  );
  trajectory.hidden = false;
  overview.hidden = true;
  document.title = `${first?.question ?? uuid} · ${title}`;
  scrollTo(0, 0);
  trajectory.focus({ preventScroll: true });
}

interface Target {
  /** One or two. */
  readonly runs: readonly string[];
  readonly uuid: string;
  readonly epoch: number;
}

function targetOf(hash: string): Target | null {
  const [kind, ...parts] = hash.slice(1).split('/');
  const epoch = Number(parts.pop());
  const uuid = parts.pop();
  const fits = (kind === 'q' && parts.length === 1) || (kind === 'c' && parts.length === 2);
  return fits && uuid !== undefined ? { runs: parts, uuid: decodeURIComponent(uuid), epoch } : null;
}

function showOverview(): void {
  if (trajectory.hidden) return;
  trajectory.hidden = true;
  overview.hidden = false;
  document.title = title;
  scrollTo(0, overviewScroll);
  const target =
    location.hash === returnTo ? null : document.getElementById(location.hash.slice(1));
  target?.scrollIntoView();
}

const LeftOut = ({ runs, uuid }: Pick<Target, 'runs' | 'uuid'>): JSX.Element => (
  <div class="note">
    This page has no room for the conversation, or the browser is too old to unpack it. In the
    terminal:
    {runs.map((run) => (
      <pre key={run}>
        turnwise trajectory {run} {uuid}
      </pre>
    ))}
  </div>
);

wireQuestionsTable();
addEventListener('hashchange', () => void show());
void show();
