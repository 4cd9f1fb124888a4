import { render } from 'preact';
import type { QuestionTable } from '../../page/question-table.js';
import { conversationPages, pageAt } from './components.jsx';
import { QuestionTableView, rememberList } from './components/question-table.jsx';
import { loadFromFile, questionsInFile } from './file-source.js';
import { onMove, shownAddress, startNavigation } from './navigation.js';
import { Source } from './use-page.js';

// The application in the pages that `report`, `compare` and `eval` write. Their overview is in the document; every other page
// is that of `turnwise view`. The document has both elements.
const overview = document.getElementById('overview') as HTMLElement;
const app = document.getElementById('app') as HTMLElement;
const { title } = document;

function start(table: QuestionTable | null): void {
  const place = document.getElementById('table');
  place?.replaceChildren();
  const name = 'all questions';
  if (table) rememberList({ name, path: '/', rows: table.rows });
  const show = (): void => {
    const address = shownAddress();
    const isOverview = address === '/';
    overview.hidden = !isOverview;
    app.hidden = isOverview;
    if (isOverview) document.title = title;
    if (place && table) {
      render(isOverview ? <QuestionTableView table={table} name={name} /> : null, place);
    }
    const page = (
      <Source.Provider value={loadFromFile}>{pageAt(conversationPages, address)}</Source.Provider>
    );
    render(isOverview ? null : page, app);
  };
  startNavigation();
  onMove(show);
  show();
}

void questionsInFile().then(start);
