import type { JSX } from 'preact';
import { useState, useEffect, useRef } from 'preact/hooks';
import { decimals, duration, grouped, shortDuration } from '../../../../../domain/formats/text.js';
import type { LiveRunData, NamedCount, PlotsData, RunData } from '../../page-data.js';
import { documentPaths, pagePaths, partPaths, pathTo } from '../../../page/page-paths.js';
import { Actions } from '../components/actions.jsx';
import {
  CopyCommand,
  Facts,
  Html,
  Links,
  Page,
  Section,
  TemporalLink,
  type Fact,
} from '../components/page.jsx';
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
      <Links label="This run">
        <a href="#questions">Questions</a>
        {data.sections && <a href="#ledger">Ledger</a>}
        <a href={pathTo(documentPaths.report, { run })} target="_blank">
          Report page
        </a>
        {temporalUrl !== null && <TemporalLink url={temporalUrl} />}
      </Links>
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
        <Section id="score" title={live ? 'Score so far' : 'Score'}>
          <Html html={sections.headline} />
          <Html html={sections.facts} />
        </Section>
      )}
      <Section id="questions" title="Questions">
        <QuestionList run={run} ended={data.ended} />
      </Section>
      {sections && (
        <Section id="ledger" title="Ledger">
          <Html html={sections.ledger} />
        </Section>
      )}
      <Section id="plots" title="Plots">
        <Plots run={run} />
      </Section>
    </>
  );
}

function Progress({ data }: { readonly data: RunData }): JSX.Element {
  const { ended, samples, live, scores, cost } = data;
  const facts: readonly Fact[] = [
    ...scores.map((score): Fact => [
      `score so far${score.scale}`,
      [decimals(score.mean), intervalText(score)].filter((text) => text !== '').join(', '),
    ]),
    ['cost of what has ended', cost],
    ['since its start', duration(data.elapsedMs)],
    ...(live ? liveFacts(live) : []),
    ...data.outcomes.map(({ name, count }): Fact => [name, grouped(count)]),
  ];
  return (
    <Section id="progress" title="Progress">
      <p class="progress">
        <progress max={samples} value={ended} aria-label="Questions that have ended" />
        <span>
          <strong>{grouped(ended)}</strong> of {grouped(samples)} questions have ended
        </span>
      </p>
      {live === null && <p>{data.stateText}</p>}
      <Facts facts={facts} />
    </Section>
  );
}

function liveFacts(live: LiveRunData): readonly Fact[] {
  const { inFlight, waiting, concurrency, budget, deadline } = live;
  const { usd, tokens } = budget;
  return [
    live.leftMs === null ? null : ['time left, about', duration(live.leftMs)],
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
    deadline === null ? null : ['deadline', deadline],
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
        <Section id="slow" title="Slowest questions" heading="h3">
          <ul class="plain">
            {live.slow.map(({ uuid, epoch, text }) => (
              <li key={`${uuid} ${epoch}`}>
                <a href={pathTo(pagePaths.question, { run, uuid, epoch })}>{text}</a>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {live.turns.length > 0 && (
        <Section id="turns" title="Newest turns" heading="h3">
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
        </Section>
      )}
    </>
  );
}

function Failures({ failures }: { readonly failures: readonly NamedCount[] }): JSX.Element {
  return (
    <Section id="failures" title="Failures by cause">
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
    </Section>
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
