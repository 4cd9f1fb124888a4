import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DecisionData, ItemData, PartData } from '../../page-data.js';
import { actionPaths, pagePaths, pathTo } from '../../../page/page-paths.js';
import { Actions, type Action } from '../components/actions.jsx';
import { Difference, DecisionForm } from './decision-form.jsx';
import { Page } from '../components/page.jsx';
import { ResultTable, Sql } from '../components/result-table.jsx';
import { StepLinks } from '../components/step-links.jsx';
import { PersonField, listOf, personIn } from '../form.jsx';
import { instantText } from '../texts.js';
import { usePage } from '../use-page.js';
import { shownItems } from './datasets.jsx';

interface ItemPageProps {
  readonly dataset: string;
  readonly item: string;
}

/**
 * An item with all that bears on the decision about it. What a person is deciding about stays on the page as it was opened,
 * also when somebody else decides meanwhile.
 */
export function ItemPage({ dataset, item }: ItemPageProps): JSX.Element {
  const { data, problem, reload } = usePage<ItemData>(pathTo(pagePaths.item, { dataset, item }));
  const [opened, setOpened] = useState<ItemData | null>(null);
  const [done, setDone] = useState<{ readonly seen: number; readonly said: string } | null>(null);
  const isTaken = data?.gate != null && data.gate.seen === done?.seen;
  useEffect(() => {
    if (opened === null && data?.gate && !isTaken) setOpened(data);
  }, [data, opened, isTaken]);
  const isChanged =
    opened !== null && data !== null && opened.gate?.seen !== data.gate?.seen && !isTaken;
  const shown = isChanged ? opened : data;
  const onDone = (seen: number, said: string): void => {
    setDone({ seen, said });
    setOpened(null);
    reload();
  };
  return (
    <Page
      title={item}
      kind={
        <StepLinks
          label="Items"
          back={[pathTo(pagePaths.dataset, { dataset }), dataset]}
          links={shownItems(dataset).map((each) => pathTo(pagePaths.item, { dataset, item: each }))}
          here={pathTo(pagePaths.item, { dataset, item })}
        >
          <a href="#decision">to the decision</a>
        </StepLinks>
      }
      problem={problem}
      isLoading={shown === null}
      bar={shown?.gate && <Actions actions={[assignAction(shown)]} onDone={reload} />}
    >
      {shown && (
        <div class="review">
          <Evidence data={shown} />
          <section class="decision" aria-labelledby="decision">
            <h2 id="decision">Decision</h2>
            <Said said={done?.said ?? ''} next={nextItem(dataset, item)} dataset={dataset} />
            {isChanged && (
              <div class="note problem" role="alert">
                <p>{changedText(data)}</p>
                <p class="buttons">
                  <button type="button" onClick={() => setOpened(null)}>
                    Show it as it is now
                  </button>
                </p>
              </div>
            )}
            {shown.gate === null || isTaken ? (
              <p class="faint">{waitText(shown)}</p>
            ) : (
              <DecisionForm
                key={shown.gate.seen}
                dataset={dataset}
                item={item}
                gate={shown.gate}
                onDone={(said) => onDone(shown.gate?.seen ?? 0, said)}
              />
            )}
          </section>
        </div>
      )}
    </Page>
  );
}

function changedText({ item, decisions, state }: ItemData): string {
  const last = decisions.at(-1);
  return `Item ${item} has changed since you opened it: it is ${state}${last ? `, and ${last.text}` : ''}. A decision about what is shown here is refused.`;
}

function waitText({ gate, state, annotators }: ItemData): string {
  if (gate !== null && annotators > 1 && !gate.adjudicates) {
    return 'The decision of another annotator is awaited.';
  }
  if (state === 'done' || state === 'rejected') return `The item is ${state}.`;
  return gate === null ? `The item is ${state}. Models work on it.` : '';
}

/** What was decided, and the way to the next item. It takes the focus, so that the next key follows the link. */
function Said({
  said,
  next,
  dataset,
}: {
  readonly said: string;
  readonly next: string | undefined;
  readonly dataset: string;
}): JSX.Element {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (said !== '') link.current?.focus();
  }, [said]);
  return (
    <div class="was-done" role="status">
      {said !== '' && (
        <>
          <p class="breaks">{said}</p>
          <p>
            <a
              ref={link}
              href={
                next === undefined
                  ? pathTo(pagePaths.dataset, { dataset })
                  : pathTo(pagePaths.item, { dataset, item: next })
              }
            >
              {next === undefined ? 'all items that wait' : `next: ${next}`}
            </a>
          </p>
        </>
      )}
    </div>
  );
}

const nextItem = (dataset: string, item: string): string | undefined => {
  const items = shownItems(dataset);
  const at = items.indexOf(item);
  return at === -1 ? undefined : items[at + 1];
};

function Evidence({ data }: { readonly data: ItemData }): JSX.Element {
  const { gate, state, seedQuestion, schema, parts, decisions } = data;
  return (
    <div class="evidence">
      <p>
        <strong>{state}</strong>
        {gate && <span class="faint"> since {instantText(gate.since)} UTC</span>}
      </p>
      {gate?.parked && (
        <div class="note problem">
          <p>Parked as {gate.parked.reason}</p>
          <pre>{gate.parked.message}</pre>
        </div>
      )}
      {gate && <p class="note">{gate.criteria}</p>}
      <Part name="Seed question" by="">
        <p class="prose">{seedQuestion}</p>
      </Part>
      {parts.map((part) => (
        <PartView key={part.version} part={part} />
      ))}
      <details open={gate?.gate !== 'answer'}>
        <summary>Schema</summary>
        <pre>{schema}</pre>
      </details>
      {decisions.length > 0 && (
        <Part name="Decisions so far" by="">
          <ol class="plain">
            {decisions.map((each) => (
              <DecisionView key={each.id} decision={each} />
            ))}
          </ol>
        </Part>
      )}
    </div>
  );
}

function Part({
  name,
  by,
  children,
}: {
  readonly name: string;
  readonly by: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="part" aria-label={name}>
      <h2>{name}</h2>
      {by !== '' && <p class="under">{by}</p>}
      {children}
    </section>
  );
}

const titled = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

function PartView({ part: each }: { readonly part: PartData }): JSX.Element {
  const { part, version, by, at, isByPerson, text, results, difference } = each;
  return (
    <Part
      name={titled(part)}
      by={`version ${version}, ${isByPerson ? 'edited ' : ''}by ${by} at ${instantText(at)} UTC`}
    >
      {results.map((result, number) => (
        <div key={number} class="query">
          {result.name === '' ? <Sql sql={result.sql} /> : <h3>{result.name}</h3>}
          <ResultTable
            name={result.name === '' ? `Result of query ${number + 1}` : `Table ${result.name}`}
            table={result.table}
            shown={result.shown}
          />
        </div>
      ))}
      {results.length === 0 && difference === null && <p class="prose">{text}</p>}
      {results.length === 0 && difference !== null && <Difference pieces={difference} />}
      {part === 'rows' && (
        <details open={difference !== null}>
          <summary>
            {difference === null ? 'Statements' : 'Statements, as they were edited'}
          </summary>
          {difference === null ? <pre>{text}</pre> : <Difference pieces={difference} />}
        </details>
      )}
    </Part>
  );
}

const DecisionView = ({
  decision: { text, reason, shown, prompts },
}: {
  readonly decision: DecisionData;
}): JSX.Element => (
  <li>
    {text}
    {reason !== '' && `: ${reason}`}
    <span class="under">
      shown were versions {shown.join(', ')}
      {prompts.length > 0 && `, made by prompts ${prompts.join(', ')}`}
    </span>
  </li>
);

const assignAction = ({ dataset, item, gate }: ItemData): Action => ({
  name: 'Assign',
  title: `Who decides about ${item}?`,
  confirm: 'Assign',
  path: pathTo(actionPaths.assign, { dataset, item }),
  body: (form) => ({ by: personIn(form), to: listOf(form, 'to') }),
  text: (
    <div class="fields">
      <label>
        Names with commas between them; everybody if empty
        <input name="to" defaultValue={gate?.assigned.join(', ') ?? ''} />
      </label>
      <PersonField label="Your name" />
    </div>
  ),
});
