import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { partPaths, pathTo } from '../../../page/page-paths.js';
import type { QuestionTable } from '../../../page/question-table.js';
import { QuestionTableView } from '../components/question-table.jsx';
import { usePage } from '../use-page.js';

interface QuestionListProps {
  readonly run: string;
  /** Questions that have ended: the list is loaded again when there are others. */
  readonly ended: number;
}

/** How often the list is loaded while questions end. A long one is megabytes. */
const reloadMs = 1_000;
const reloadLongMs = 10_000;
const longList = 2_000;

/** A value that changes at most once in so many milliseconds, and then to the latest one. */
function useRarely<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  const isOld = shown !== value;
  useEffect(() => {
    if (!isOld) return undefined;
    const timer = setTimeout(() => setShown(latest.current), ms);
    return () => clearTimeout(timer);
  }, [isOld, shown, ms]);
  return shown;
}

export function QuestionList({ run, ended }: QuestionListProps): JSX.Element {
  const [isLong, setLong] = useState(false);
  const version = useRarely(ended, isLong ? reloadLongMs : reloadMs);
  const { data, problem } = usePage<QuestionTable>(pathTo(partPaths.questions, { run }), version);
  if (data === null) return <p class="faint">{problem ?? 'Loading …'}</p>;
  if (!isLong && data.rows.length > longList) setLong(true);
  return <QuestionTableView table={data} name={run} />;
}
