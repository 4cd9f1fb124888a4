import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../domain/user-error.js';
import { packageRoot } from '../../services/versions.js';

/** A script that the build has made of `client/views/web/browser/`: of the view or of reports. */
export function browserScript(name: 'view' | 'report'): string {
  const file = join(packageRoot, `dist/view/${name}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UserError(`${file} is missing: \`npm run build\` makes it`);
  }
}
