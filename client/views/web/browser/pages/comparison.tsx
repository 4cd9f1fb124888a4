import type { JSX } from 'preact';
import { pagePaths, pathTo } from '../../../page/page-paths.js';
import type { ComparisonData } from '../../page-data.js';
import { CopyCommand, Html, Page, Section } from '../components/page.jsx';
import { QuestionTableView } from '../components/question-table.jsx';
import { navigate } from '../navigation.js';
import { usePage } from '../use-page.js';

interface ComparisonPageProps {
  readonly baseline: string;
  readonly candidates: readonly string[];
}

/** Runs against the first of them, as `turnwise compare` has it. */
export function ComparisonPage({ baseline, candidates }: ComparisonPageProps): JSX.Element {
  const { data, problem } = usePage<ComparisonData>(
    pathTo(pagePaths.comparison, { baseline, candidates: candidates.join(',') }),
  );
  const title = `${candidates.join(', ')} against ${baseline}`;
  const [candidate = '', ...others] = candidates;
  return (
    <Page
      title={title}
      kind="comparison"
      problem={problem}
      isLoading={data === null}
      bar={
        <p class="buttons">
          {others.length === 0 && (
            <button
              type="button"
              onClick={() =>
                navigate(
                  pathTo(pagePaths.comparison, { baseline: candidate, candidates: baseline }),
                )
              }
            >
              Swap
            </button>
          )}
          <CopyCommand words={['compare', baseline, ...candidates]} />
        </p>
      }
    >
      {data && (
        <>
          <Html html={data.sections} />
          <Section id="questions" title="Questions">
            <QuestionTableView table={data.questions} name={title} />
          </Section>
        </>
      )}
    </Page>
  );
}
