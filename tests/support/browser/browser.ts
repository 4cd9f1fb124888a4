import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { environmentSchema, setVariables } from '../../../domain/settings.js';
import { cacheFolder } from '../../../worker/embedded/setup-context.js';

/** Pinned: what npm's registry has for Node 20. Part of no `package.json`: only these tests need a browser. */
const packages = {
  '@sparticuz/chromium': '147.0.0',
  'axe-core': '4.14.1',
  'playwright-core': '1.65.1',
} as const;

/** What these tests use of Playwright's browsers. */
export interface Browser {
  readonly newPage: (options?: {
    readonly javaScriptEnabled?: boolean;
    readonly colorScheme?: 'light' | 'dark';
    readonly viewport?: { readonly width: number; readonly height: number };
  }) => Promise<Page>;
  readonly close: () => Promise<void>;
}

export interface Page {
  readonly goto: (url: string) => Promise<unknown>;
  readonly goBack: () => Promise<unknown>;
  readonly on: (event: 'console' | 'pageerror' | 'request', listener: (of: never) => void) => void;
  /** @param script - an expression; its value must survive JSON */
  readonly evaluate: (script: string) => Promise<unknown>;
  readonly locator: (selector: string) => Locator;
  readonly emulateMedia: (media: {
    readonly media?: 'print' | 'screen';
    readonly colorScheme?: 'light' | 'dark';
  }) => Promise<void>;
  readonly keyboard: { readonly press: (key: string) => Promise<void> };
  readonly screenshot: (options: {
    readonly path: string;
    readonly fullPage?: boolean;
  }) => Promise<unknown>;
}

/** Waits for what it does until the page allows it. */
export interface Locator {
  readonly click: () => Promise<void>;
  readonly fill: (text: string) => Promise<void>;
  readonly focus: () => Promise<void>;
  readonly selectOption: (value: string) => Promise<unknown>;
  readonly textContent: () => Promise<string | null>;
  readonly innerText: () => Promise<string>;
  readonly inputValue: () => Promise<string>;
  readonly allInnerTexts: () => Promise<readonly string[]>;
  readonly getAttribute: (name: string) => Promise<string | null>;
  readonly isVisible: () => Promise<boolean>;
  readonly count: () => Promise<number>;
  readonly waitFor: (options?: { readonly state: 'visible' | 'hidden' }) => Promise<void>;
}

interface Playwright {
  readonly chromium: {
    readonly launch: (options: {
      readonly executablePath: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string | undefined>>;
    }) => Promise<Browser>;
  };
}

/** A headless browser. Fetched from npm's registry at first use, about 70 MB, and kept beside the other engines. */
export async function startBrowser(): Promise<Browser> {
  const folder = await browserFolder();
  const { chromium } = createRequire(join(folder, 'package.json'))('playwright-core') as Playwright;
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    // Containers offer neither what the sandbox needs nor a graphics card.
    args: ['--no-sandbox', '--disable-gpu'],
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') },
  });
}

/** What axe-core finds wrong with a page for those who do not see it, or see little: a line for each element. */
export async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  const script = join(await browserFolder(), 'node_modules/axe-core/axe.min.js');
  await page.evaluate(`${readFileSync(script, 'utf8')}; null`);
  const found = await page.evaluate(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + help + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`,
  );
  return found as readonly string[];
}

async function browserFolder(): Promise<string> {
  const cache = cacheFolder(environmentSchema.parse(setVariables(process.env)).TURNWISE_CACHE);
  const folder = join(cache, `browser-${Object.values(packages).join('-')}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    await fetchBrowser(draft);
    await rename(draft, folder).catch((error: unknown) => {
      // Tests of another process have fetched it meanwhile.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

const run = promisify(execFile);

async function fetchBrowser(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies: packages }));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  const packed = join(folder, 'node_modules/@sparticuz/chromium/bin');
  const unpack = (file: string, as: string): Promise<void> =>
    pipeline(
      createReadStream(join(packed, file)),
      createBrotliDecompress(),
      createWriteStream(join(folder, as)),
    );
  await unpack('chromium.br', 'chromium');
  await chmod(join(folder, 'chromium'), 0o755);
  // Libraries that it links and a bare machine lacks.
  await unpack('al2023.tar.br', 'libraries.tar');
  await run('tar', ['-xf', 'libraries.tar'], { cwd: folder });
  await rm(packed, { recursive: true });
}
