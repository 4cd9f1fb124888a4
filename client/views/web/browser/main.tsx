import { render } from 'preact';
import { allPages, pageAt } from './components.jsx';
import { onMove, shownAddress, startNavigation } from './navigation.js';

const app = document.getElementById('app');
if (app) {
  const show = (): void => render(pageAt(allPages, shownAddress()), app);
  app.replaceChildren();
  startNavigation();
  onMove(show);
  show();
}
