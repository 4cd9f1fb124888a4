import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../domain/user-error.js';
import { packageRoot } from '../../services/versions.js';
import { sqlFormatter } from '../page/page-assets.js';
import { pageStyle } from '../page/page-style.js';
import type { ViewSettings } from './view-server.js';
import { datasetStyle } from './dataset-style.js';
import { viewStyle } from './view-style.js';

/** The script and the style of the pages. The build makes the script. */
export const viewAssets = (): ViewSettings['assets'] => ({
  'view.js': { type: 'text/javascript; charset=utf-8', text: script() },
  'sql-formatter.js': { type: 'text/javascript; charset=utf-8', text: sqlFormatter() },
  'view.css': { type: 'text/css; charset=utf-8', text: `${pageStyle}${viewStyle}${datasetStyle}` },
});

function script(): string {
  const file = join(packageRoot, 'dist/view/view.js');
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UserError(`${file} is missing: \`npm run build\` makes it`);
  }
}
