import type { CommandLine } from './shared/command-line.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { joined } from '../../domain/formats/text.js';
import { flag, option, whole, type FlagsOf } from '../../domain/option.js';
import { UserError } from '../../domain/user-error.js';
import { loadEnvironment } from '../services/environment.js';
import { readTextFile } from '../services/read-file.js';
import { codecUrl } from '../views/web/codec-server.js';
import { viewRoutes } from '../views/web/routes.js';
import { viewAssets } from '../views/web/view-assets.js';
import { ViewHome } from '../views/web/view-home.js';
import { requireSafe, thisMachine, type ViewHost } from '../views/web/access.js';
import { startViewServer } from '../views/web/view-server.js';
import { print } from '../services/tell.js';

const viewOptions = {
  port: option('<n>', 'a free one unless set', whole(1, 65_535).optional()),
  host: option(
    '<address>',
    'where to listen; what others can reach needs TLS or --insecure-host',
    z.string().default(thisMachine.host),
  ),
  tlsCert: option('<file>', 'certificate, PEM'),
  tlsKey: option('<file>', 'its key, PEM'),
  insecureHost: flag('let everybody on the network read the token and all pages'),
  open: flag('only print the address', z.boolean().default(true)),
  json: flag('the address and the port as one JSON document'),
};
type ViewFlags = FlagsOf<typeof viewOptions>;

export function registerView(program: CommandLine): void {
  program
    .command('view')
    .description(
      'all runs in a browser: scores, conversations, comparisons, runs under way; and datasets that are built',
    )
    .takes(viewOptions)
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
  const { TURNWISE_PAYLOAD_KEY: key } = home.environment;
  const uiAddress = async (): Promise<string | null> => (await home.services())?.uiAddress ?? null;
  const server = await startViewServer({
    ...{ port: port ?? 0, at },
    routes: viewRoutes(home),
    codec: key === undefined ? undefined : { key, uiAddress },
    assets: viewAssets(),
  });
  // On one line, since no more follows for as long as it runs.
  const { url, port: taken } = server;
  const codec = key === undefined || at.tls ? undefined : codecUrl(taken, key);
  if (json) print(JSON.stringify({ url, port: taken, codecUrl: codec }), true);
  else {
    const codecLine = codec !== undefined && `codec server for Temporal's UI at ${codec}`;
    print(joined('\n', `turnwise view at ${url}`, codecLine, 'Ctrl-C stops it; runs go on.'));
  }
  if (open) openInBrowser(url);
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
