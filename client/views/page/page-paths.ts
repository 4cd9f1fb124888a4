/**
 * The paths of all pages, which the server and the page's script share. A new page adds its path here, its data function to
 * `web/pages/` and its component to `browser/components.tsx`.
 */
export const pagePaths = {
  runs: '/',
  run: '/runs/:run',
  question: '/runs/:run/questions/:uuid/:epoch',
  /** Several candidates, with commas between them. */
  comparison: '/compare/:baseline/:candidates',
  sides: '/compare/:baseline/:candidate/:uuid/:epoch',
  store: '/stores/:store',
  evaluations: '/evaluations',
  evaluation: '/evaluations/:evaluation',
  datasets: '/datasets',
  dataset: '/datasets/:dataset',
  item: '/datasets/:dataset/items/:item',
} as const;

/** Data that a page loads after its first paint. */
export const partPaths = {
  plots: '/runs/:run/plots',
  callPlots: '/runs/:run/plots/calls',
  questions: '/runs/:run/questions',
} as const;

/** A path with its parameters filled in. */
export const pathTo = (
  path: string,
  parameters: Readonly<Record<string, string | number>>,
): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(parameters[name] ?? '')));

/** The parameters of an address that fits a path; null if it does not. */
export function matchPath(path: string, address: string): Readonly<Record<string, string>> | null {
  const names = path.split('/');
  const parts = address.split('/');
  if (names.length !== parts.length) return null;
  const parameters: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const part = parts[at] ?? '';
    if (!name.startsWith(':')) {
      if (name !== part) return null;
      continue;
    }
    const decoded = decodedPart(part);
    if (decoded === null) return null;
    parameters[name.slice(1)] = decoded;
  }
  return parameters;
}

/** Null for what is no percent-encoded text. */
function decodedPart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Documents that stand for themselves. */
export const documentPaths = { report: '/report/:run', paper: '/papers/:store/:paper' } as const;

/** What is done to a run or one of its questions, to a dataset or one of its items. */
export const actionPaths = {
  pause: '/runs/:run/pause',
  resume: '/runs/:run/resume',
  tune: '/runs/:run/tune',
  retry: '/runs/:run/retry',
  cancel: '/runs/:run/cancel',
  note: '/runs/:run/notes',
  removeNote: '/runs/:run/notes/:note/remove',
  rule: '/runs/:run/rulings',
  sign: '/runs/:run/sign',
  cancelQuestion: '/runs/:run/questions/:uuid/:epoch/cancel',
  retryQuestion: '/runs/:run/questions/:uuid/retry',
  pauseDataset: '/datasets/:dataset/pause',
  resumeDataset: '/datasets/:dataset/resume',
  decide: '/datasets/:dataset/items/:item/decide',
  assign: '/datasets/:dataset/items/:item/assign',
} as const;
