import type { JSX } from 'preact';
import type { PageObservation, PageTurn, PageQuestion } from '../../../page/page-question.js';
import { ResultTable, Sql } from '../components/result-table.jsx';
import { placeOf, turnFailures, turnFigures, observationRows } from './conversation-text.js';
import { documentPaths, pathTo } from '../../../page/page-paths.js';

/** The address of a picture of the page. */
export type PictureAt = (place: number) => string;

interface TurnViewProps {
  readonly run: string;
  readonly turn: PageTurn;
  readonly papers: NamedPapers;
  readonly pictureAt: PictureAt;
}

/** A turn: thought, action and observation, with their figures. */
export function TurnView({ run, turn, papers, pictureAt }: TurnViewProps): JSX.Element {
  const { action, error, reasoning, thought, observation, raw } = turn;
  return (
    <article class={error === null ? 'turn' : 'turn failed'}>
      <h2>
        <span class="faint">Turn {turn.turn} </span>
        {action?.name ?? 'No action'}
      </h2>
      <p class="figures">{turnFigures(turn)}</p>
      {turnFailures(turn).map((failure) => (
        <p key={failure} class="failure">
          {failure}
        </p>
      ))}
      {reasoning !== null && <Folded name="reasoning" text={reasoning} />}
      {thought !== '' && <p class="thought">{thought}</p>}
      {action === null && <pre>{raw}</pre>}
      {action?.fields.map(({ name, value }) => {
        if (value === '') return null;
        if (name === 'sql') return <Sql key={name} sql={value} />;
        return (
          <p key={name} class="field">
            <span class="faint">{name} </span>
            <code>{value}</code>
          </p>
        );
      })}
      {observation && (
        <ObservationView
          observation={observation}
          of={`turn ${turn.turn} of ${run}`}
          papers={papers}
          pictureAt={pictureAt}
        />
      )}
      {action && <Folded name="the reply as received" text={raw} />}
    </article>
  );
}

export const Folded = ({
  name,
  text,
}: {
  readonly name: string;
  readonly text: string;
}): JSX.Element => (
  <details>
    <summary>{name}</summary>
    <pre>{text}</pre>
  </details>
);

interface ObservationViewProps extends Pick<TurnViewProps, 'papers' | 'pictureAt'> {
  readonly observation: PageObservation;
  readonly of: string;
}

const ObservationView = ({
  observation,
  of,
  papers,
  pictureAt,
}: ObservationViewProps): JSX.Element => (
  <ResultTable
    name={`Observation of ${of}`}
    table={observationRows(observation.text)}
    shown={observation.text}
    none="null"
    cellOf={(cell, of) =>
      typeof cell === 'string' && cell in papers.paperNames ? (
        <PaperName id={cell} papers={papers} place={placeOf(of)} />
      ) : null
    }
  >
    {observation.picture !== null && (
      <img src={pictureAt(observation.picture)} alt={`The picture shown in ${of}`} />
    )}
    {observation.pictureLabel !== null && (
      <p class="note">A picture ({observation.pictureLabel}) that this page has no room for.</p>
    )}
  </ResultTable>
);

/** The papers of a question. */
type NamedPapers = Pick<PageQuestion, 'paperNames' | 'store'>;

interface PaperNameProps {
  readonly id: string;
  readonly papers: NamedPapers;
  /** The place on its page, such as `#page-2`. @defaultValue its beginning */
  readonly place?: string;
}

/** The file name of a paper, with its title and id behind; its id where the store does not have it. */
export function PaperName({ id, papers, place = '' }: PaperNameProps): JSX.Element {
  const { store } = papers;
  const paper = papers.paperNames[id];
  if (paper === undefined) return <>{id}</>;
  const name = { title: `${paper.title} · ${id}`, children: paper.file };
  if (store === null) return <span {...name} />;
  const address = pathTo(documentPaths.paper, { store, paper: id }) + place;
  return <a href={address} target="_blank" rel="noreferrer" {...name} />;
}
