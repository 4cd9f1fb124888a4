import { render, type JSX } from 'preact';
import { pageAt } from './components.jsx';
import { startNavigation, useAddress } from './navigation.js';

function App(): JSX.Element {
  return pageAt(useAddress());
}

startNavigation();
const app = document.getElementById('app');
if (app) {
  app.replaceChildren();
  render(<App />, app);
}
