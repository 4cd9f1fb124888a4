import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  viewLineSchema,
  type PageView,
  type ViewRequest,
} from '../../../domain/stores/inspection/place-lines.js';
import { workerProgram } from '../../services/programs.js';

/** Pages of a PDF, and what could not be drawn. */
export interface PaperView {
  /** By number. */
  readonly pages: ReadonlyMap<number, PageView>;
  /** Pages in which PDFium stopped, or that took too long. */
  readonly broken: readonly number[];
}

/** As long as reading a page may take. */
const pageLimitMs = 30_000;
/** More broken pages are hardly ever in a file that is worth a look; each costs a process. */
const mostBroken = 5;

/** Draws pages in a process of their own. A page that stops it is left out; the others are drawn by another process. */
export async function viewPaper(
  request: ViewRequest,
  program: string = workerProgram('view-pages'),
): Promise<PaperView> {
  const pages = new Map<number, PageView>();
  const broken: number[] = [];
  let { pages: wanted, mostPicture } = request;
  while (wanted.length > 0 && broken.length < mostBroken) {
    const stoppedIn = await runViewing(
      program,
      { ...request, pages: wanted, mostPicture },
      (view) => {
        pages.set(view.page, view);
        mostPicture = Math.max(0, mostPicture - (view.picture?.length ?? 0));
      },
    );
    if (stoppedIn === null) break;
    broken.push(stoppedIn);
    wanted = wanted.slice(wanted.indexOf(stoppedIn) + 1);
  }
  return { pages, broken };
}

/** Resolves to the page in which the process ended; null if it has done its work or cannot read the PDF. */
async function runViewing(
  program: string,
  request: ViewRequest,
  onPage: (view: PageView) => void,
): Promise<number | null> {
  // It reads a file that anybody may have made: it gets no key and no setting.
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  child.stdin.on('error', () => undefined).end(JSON.stringify(request));
  const stop = (): void => void child.kill('SIGKILL');
  let timer = setTimeout(stop, pageLimitMs);
  let begun: number | null = null;
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      clearTimeout(timer);
      timer = setTimeout(stop, pageLimitMs);
      const line = viewLineSchema.parse(JSON.parse(text));
      begun = line.kind === 'begins' ? line.page : null;
      if (line.kind === 'page') onPage(line);
    }
    await closed;
    return begun;
  } finally {
    clearTimeout(timer);
    child.kill();
  }
}
