import { browserScript } from '../page/page-assets.js';
import { pageStyle } from '../page/page-style.js';
import type { ViewSettings } from './view-server.js';
import { datasetStyle } from './dataset-style.js';
import { viewStyle } from './view-style.js';

/** The script and the style of the pages. */
export const viewAssets = (): ViewSettings['assets'] => ({
  'view.js': { type: 'text/javascript; charset=utf-8', text: browserScript('view') },
  'view.css': { type: 'text/css; charset=utf-8', text: `${pageStyle}${viewStyle}${datasetStyle}` },
});
