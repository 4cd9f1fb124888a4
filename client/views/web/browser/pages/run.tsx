import type { JSX } from 'preact';
import { useState, useEffect, useRef } from 'preact/hooks';
import { decimals, duration, grouped, shortDuration } from '../../../../../domain/formats/text.js';
import type { LiveRunData, NamedCount, PlotsData, RunData } from '../../page-data.js';
import { documentPaths, pagePaths, partPaths, pathTo } from '../../../page/page-paths.js';
import { Actions } from '../components/actions.jsx';
import { CopyCommand, Facts, Html, Page } from '../components/page.jsx';
import { Notes, actionsOf } from '../run-actions.jsx';
import { costText, intervalText } from '../texts.js';
import { usePage } from '../use-page.js';
import type { QuestionTable } from '../../../page/question-table.js';
import { QuestionTableView } from '../components/question-table.jsx';

export function RunPage({ run }: { readonly run: string }): JSX.Element {
  const { data, problem, reload } = usePage<RunData>(pathTo(pagePaths.run, { run }));
  return (
    <Page
      title={run}
      kind={data === null ? 'run' : `run · ${data.state}`}
      problem={problem}
      isLoading={data === null}
      bar={data && <RunBar data={data} onDone={reload} />}
    >
      {data && <RunContent data={data} onDone={reload} />}
    </Page>
  );
}

interface RunPartProps {
  readonly data: RunData;
  readonly onDone: () => void;
}

function RunBar({ data, onDone }: RunPartProps): JSX.Element {
  const { run, temporalUrl } = data;
  return (
    <>
      <nav aria-label="This run">
        <ul>
          <li>
            <a href="#questions">Questions</a>
          </li>
          {data.sections && (
            <li>
              <a href="#ledger">Ledger</a>
            </li>
          )}
          <li>
            <a href={pathTo(documentPaths.report, { run })} target="_blank">
              Report page
            </a>
          </li>
          {temporalUrl !== null && (
            <li>
              <a href={temporalUrl} target="_blank" rel="noreferrer">
                Temporal UI
              </a>
            </li>
          )}
        </ul>
      </nav>
      <Actions actions={actionsOf(data)} onDone={onDone} />
      <p class="buttons">
        <CopyCommand words={['status', run]} />
      </p>
    </>
  );
}

function RunContent({ data, onDone }: RunPartProps): JSX.Element {
  const { run, sections, live } = data;
  return (
    <>
      {data.lines.map((line) => (
        <p class="note" key={line}>
          {line}
        </p>
      ))}
      <Notes run={run} notes={data.notes} onDone={onDone} />
      {data.state === 'done' ? null : <Progress data={data} />}
      {live && <Live run={run} live={live} />}
      {data.failures.length > 0 && <Failures failures={data.failures} />}
      {sections && (
        <section aria-labelledby="score">
          <h2 id="score">Score{live && ' so far'}</h2>
          <Html html={sections.headline} />
          <Html html={sections.facts} />
        </section>
      )}
      <section aria-labelledby="questions">
        <h2 id="questions">Questions</h2>
        <QuestionList run={run} ended={data.ended} />
      </section>
      {sections && (
        <section aria-labelledby="ledger">
          <h2 id="ledger">Ledger</h2>
          <Html html={sections.ledger} />
        </section>
      )}
      <section aria-labelledby="plots">
        <h2 id="plots">Plots</h2>
        <Plots run={run} />
      </section>
    </>
  );
}

function Progress({ data }: { readonly data: RunData }): JSX.Element {
  const { ended, samples, live, scores, cost } = data;
  const facts: readonly (readonly [string, string])[] = [
    ...scores.map(
      (score) =>
        [
          `score so far${score.scale}`,
          [decimals(score.mean), intervalText(score)].filter((text) => text !== '').join(', '),
        ] as const,
    ),
    ['cost of what has ended', cost],
    ['since its start', duration(data.elapsedMs)],
    ...(live ? liveFacts(live) : []),
    ...data.outcomes.map(({ name, count }) => [name, grouped(count)] as const),
  ];
  return (
    <section aria-labelledby="progress">
      <h2 id="progress">Progress</h2>
      <p class="progress">
        <progress max={samples} value={ended} aria-label="Questions that have ended" />
        <span>
          <strong>{grouped(ended)}</strong> of {grouped(samples)} questions have ended
        </span>
      </p>
      {live === null && <p>{data.stateText}</p>}
      <Facts facts={facts} />
    </section>
  );
}

function liveFacts(live: LiveRunData): readonly (readonly [string, string])[] {
  const { inFlight, waiting, concurrency, budget, deadline } = live;
  const { usd, tokens } = budget;
  return [
    ...(live.leftMs === null ? [] : [['time left, about', duration(live.leftMs)] as const]),
    [
      'questions in flight',
      `${grouped(inFlight)} of at most ${grouped(concurrency)}${waiting > 0 ? `, ${grouped(waiting)} waiting` : ''}`,
    ],
    [
      'budget',
      usd.cap === null
        ? 'no limit in dollars'
        : `${costText(usd.spent)} of ${costText(usd.cap)} spent, ${costText(usd.reserved)} reserved`,
    ],
    [
      'tokens',
      `${grouped(tokens.spent)}${tokens.cap === null ? '' : ` of ${grouped(tokens.cap)}`}`,
    ],
    ...(deadline === null ? [] : [['deadline', deadline] as const]),
  ];
}

function Live({ run, live }: { readonly run: string; readonly live: LiveRunData }): JSX.Element {
  return (
    <>
      {live.accounts.map((account) => (
        <section key={account.name} aria-label={`Rate limiter of ${account.name}`}>
          <h3>Model calls</h3>
          <Facts
            facts={[
              ['calls in flight', grouped(account.inFlight)],
              ['calls waiting', grouped(account.waiting)],
              ['accepted a minute', grouped(account.acceptedPerMinute)],
              ['refused a minute', grouped(account.refusedPerMinute)],
            ]}
          />
          <p class="faint">
            {account.name}: {account.text}
          </p>
        </section>
      ))}
      {live.slow.length > 0 && (
        <section aria-labelledby="slow">
          <h3 id="slow">Slowest questions</h3>
          <ul class="plain">
            {live.slow.map(({ uuid, epoch, text }) => (
              <li key={`${uuid} ${epoch}`}>
                <a href={pathTo(pagePaths.question, { run, uuid, epoch })}>{text}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {live.turns.length > 0 && (
        <section aria-labelledby="turns">
          <h3 id="turns">Newest turns</h3>
          <ul class="turns">
            {live.turns.map(({ uuid, epoch, turn, action, text, at, ms }) => (
              <li key={`${uuid} ${epoch}`}>
                <span class="when faint">{at.slice(11, 19)}</span>
                <a href={pathTo(pagePaths.question, { run, uuid, epoch })}>
                  {uuid.length > 18 ? `${uuid.slice(0, 17)}…` : uuid}
                  {epoch > 1 && ` epoch ${epoch}`}
                </a>
                <span class="what">
                  turn {turn}, {shortDuration(ms)}: {action ?? 'no action'} <code>{text}</code>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Failures({ failures }: { readonly failures: readonly NamedCount[] }): JSX.Element {
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">Failures by cause</h2>
      <table class="small">
        <thead>
          <tr>
            <th scope="col" class="n">
              questions
            </th>
            <th scope="col">cause</th>
          </tr>
        </thead>
        <tbody>
          {failures.map(({ name, count }) => (
            <tr key={name}>
              <td class="n">{grouped(count)}</td>
              <th scope="row" class="breaks">
                {name}
              </th>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Drawing them takes a second, so they are drawn when they are asked for. */
function Plots({ run }: { readonly run: string }): JSX.Element {
  const [isShown, setShown] = useState(false);
  return isShown ? (
    <DrawnPlots run={run} />
  ) : (
    <p class="buttons">
      <button type="button" onClick={() => setShown(true)}>
        Draw the plots
      </button>
    </p>
  );
}

function DrawnPlots({ run }: { readonly run: string }): JSX.Element {
  const parts = [
    usePage<PlotsData>(pathTo(partPaths.plots, { run })),
    usePage<PlotsData>(pathTo(partPaths.callPlots, { run })),
  ];
  return (
    <>
      {parts.map(({ data, problem }, at) =>
        data ? (
          <Html key={at} kind="plots" html={data.html} />
        ) : (
          <p key={at} class="faint">
            {problem ?? 'Drawing …'}
          </p>
        ),
      )}
    </>
  );
}

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

function QuestionList({ run, ended }: QuestionListProps): JSX.Element {
  const [isLong, setLong] = useState(false);
  const version = useRarely(ended, isLong ? reloadLongMs : reloadMs);
  const { data, problem } = usePage<QuestionTable>(pathTo(partPaths.questions, { run }), version);
  if (data === null) return <p class="faint">{problem ?? 'Loading …'}</p>;
  if (!isLong && data.rows.length > longList) setLong(true);
  return <QuestionTableView table={data} name={run} />;
}
