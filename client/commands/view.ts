import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { UserError } from '../../domain/user-error.js';
import { loadEnvironment } from '../services/environment.js';
import { readTextFile } from '../services/read-file.js';
import { viewRoutes } from '../views/web/routes.js';
import { viewAssets } from '../views/web/view-assets.js';
import { ViewHome } from '../views/web/view-home.js';
import { requireSafe, thisMachine, type ViewHost } from '../views/web/view-host.js';
import { startViewServer } from '../views/web/view-server.js';
import { wholeNumber } from './shared/arguments.js';

interface ViewFlags {
  readonly port?: number;
  readonly host: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly insecureHost?: true;
  readonly open: boolean;
  readonly json?: true;
}

export function registerView(program: Command): void {
  program
    .command('view')
    .description(
      'all runs in a browser: scores, conversations, comparisons, runs under way; and datasets that are built',
    )
    .option('--port <n>', 'a free one unless set', wholeNumber(1, 65_535))
    .option(
      '--host <address>',
      'where to listen; what others can reach needs TLS or --insecure-host',
      thisMachine.host,
    )
    .option('--tls-cert <file>', 'certificate, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--insecure-host', 'let everybody on the network read the token and all pages')
    .option('--no-open', 'only print the address')
    .option('--json', 'the address and the port as one JSON document')
    .action(view);
}

function hostOf({ host, tlsCert, tlsKey, insecureHost }: ViewFlags): ViewHost {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UserError('--tls-cert and --tls-key belong together');
  }
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? null
      : { cert: readTextFile(tlsCert), key: readTextFile(tlsKey) };
  requireSafe({ host, tls }, insecureHost === true);
  return { host, tls };
}

async function view(flags: ViewFlags): Promise<void> {
  const { port, open, json } = flags;
  const at = hostOf(flags);
  const home = new ViewHome(loadEnvironment());
  const server = await startViewServer({
    ...{ port: port ?? 0, at },
    routes: viewRoutes(home),
    assets: viewAssets(),
  });
  console.log(
    json
      ? JSON.stringify({ url: server.url, port: server.port })
      : `turnwise view at ${server.url}\nCtrl-C stops it; runs go on.`,
  );
  if (open) openInBrowser(server.url);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await server.close();
  await home.close();
}

/** Opens the user's browser, where there is one. The address is printed in any case. */
function openInBrowser(url: string): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['explorer.exe', [url]]
        : ['xdg-open', [url]];
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
