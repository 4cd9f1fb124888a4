import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { joined } from '../../../../../domain/formats/text.js';
import type { PageQuestion, PageObservation, PageTurn } from '../../../page/page-question.js';
import {
  endFigures,
  firstDifference,
  outcomeText,
  verdictText,
  visibleTexts,
  placeOf,
  turnFailures,
  turnFigures,
  observationRows,
} from './conversation-text.js';
import { databaseAnswerParts, lengthText } from './database-answer.jsx';
import { ResultTable, Sql } from '../components/result-table.jsx';
import { documentPaths, pathTo } from '../../../page/page-paths.js';

interface QuestionViewProps {
  readonly question: PageQuestion;
  readonly pictureAt: PictureAt;
  readonly notes: ComponentChildren;
}

/** A question with its answer, its gold and all turns. */
export function QuestionView(props: QuestionViewProps): JSX.Element {
  const question = useMemo(() => visibleTexts(props.question), [props.question]);
  const { run, uuid, epoch, tags, papers, turns, database, answerFormat, opening } = question;
  const facts = joined(
    ' · ',
    `run ${run}`,
    uuid,
    epoch > 1 && `epoch ${epoch}`,
    tags.length > 0 && tags.join(', '),
    database && [database.method, database.category ?? 'without category'],
  );
  return (
    <>
      <h1>{question.question}</h1>
      <p class="faint">
        {facts}
        {papers.map((id, at) => (
          <span key={id}>
            {at === 0 ? ' · papers ' : ', '}
            <PaperName id={id} papers={question} />
          </span>
        ))}
      </p>
      {answerFormat !== '' && <p>{answerFormat}</p>}
      <EndView question={question} />
      {props.notes}
      <Opening messages={opening} />
      {database && databaseAnswerParts(database)}
      {turns.map((turn) => (
        <TurnView
          key={turn.turn}
          run={run}
          turn={turn}
          papers={question}
          pictureAt={props.pictureAt}
        />
      ))}
      {turns.length === 0 && database === null && <p class="note">No turn is stored.</p>}
    </>
  );
}

/** What the model was sent before its first reply. */
const Opening = ({ messages }: { readonly messages: PageQuestion['opening'] }): JSX.Element => (
  <>
    {messages.map(({ role, text }, at) => (
      <Folded key={at} name={`sent before turn 1: ${role}`} text={text} />
    ))}
  </>
);

/** The answer beside the gold, with verdict, outcome and figures. */
function EndView({ question }: Pick<QuestionViewProps, 'question'>): JSX.Element {
  const { evaluator, gold, end, database } = question;
  const answer = database?.answer.text ?? end?.answer ?? '–';
  const text = (of: string): JSX.Element =>
    database === null ? <code>{of}</code> : <p class="long">{of}</p>;
  return (
    <dl class="end">
      <Fact name="answer">{text(answer)}</Fact>
      <Fact name="gold">{text(gold ?? '–')}</Fact>
      <Fact name="verdict">{verdictText(question)}</Fact>
      <Fact name="outcome">{outcomeText(end)}</Fact>
      {evaluator && (
        <Fact name="scored by">
          <details>
            <summary>{evaluator.name}</summary>
            <pre>{evaluator.options}</pre>
          </details>
        </Fact>
      )}
      {end && end.remarks.length > 0 && <Fact name="remarks">{end.remarks.join('; ')}</Fact>}
      {end && <Fact name="took">{endFigures(end)}</Fact>}
      {database && <Fact name="answer length">{lengthText(database.answer)}</Fact>}
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

const Fact = ({ name, children }: FactProps): JSX.Element => (
  <div class={name.replaceAll(' ', '-')}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface SidesViewProps {
  readonly before: PageQuestion;
  readonly after: PageQuestion;
  readonly pictureAt: PictureAt;
}

/** A question in two runs, turn by turn, with a mark at the first turn whose actions differ. */
export function SidesView({ pictureAt, ...props }: SidesViewProps): JSX.Element {
  const before = useMemo(() => visibleTexts(props.before), [props.before]);
  const after = useMemo(() => visibleTexts(props.after), [props.after]);
  const questions = [before, after];
  const differing = firstDifference(before.turns, after.turns);
  const length = Math.max(before.turns.length, after.turns.length);
  const { uuid, epoch, tags } = before;
  const left = databaseAnswerParts(before.database);
  const right = databaseAnswerParts(after.database);
  return (
    <>
      <h1>{before.question}</h1>
      <p class="faint">{joined(' · ', uuid, epoch > 1 && `epoch ${epoch}`, tags)}</p>
      {length > 0 && (
        <p class="note">
          {differing === null
            ? 'Both runs took the same actions.'
            : `Turn ${differing + 1} is the first with different actions.`}
        </p>
      )}
      <Sides
        of={questions.map(({ run }) => (
          <h2 class="side-name">{run}</h2>
        ))}
      />
      <Sides
        of={questions.map((question) => (
          <EndView question={question} />
        ))}
      />
      {(before.database ?? after.database) !== null &&
        left.map((part, at) => <Sides key={at} of={[part, right[at]]} />)}
      {Array.from({ length }, (_, at) => (
        <Sides
          key={at}
          differs={at === differing}
          of={questions.map((question) => {
            const turn = question.turns[at];
            return turn ? (
              <TurnView run={question.run} turn={turn} papers={question} pictureAt={pictureAt} />
            ) : (
              <p class="faint">No such turn.</p>
            );
          })}
        />
      ))}
    </>
  );
}

interface SidesProps {
  /** What is of the one run, and what is of the other. */
  readonly of: readonly ComponentChildren[];
  readonly differs?: boolean;
}

const Sides = ({ of, differs = false }: SidesProps): JSX.Element => (
  <div class={differs ? 'sides differs' : 'sides'}>
    {differs && <p class="mark">first difference</p>}
    {of.map((side, at) => (
      <div key={at}>{side}</div>
    ))}
  </div>
);

/** The address of a picture of the page. */
type PictureAt = (place: number) => string;

interface TurnViewProps {
  readonly run: string;
  readonly turn: PageTurn;
  readonly papers: NamedPapers;
  readonly pictureAt: PictureAt;
}

/** A turn: thought, action and observation, with their figures. */
function TurnView({ run, turn, papers, pictureAt }: TurnViewProps): JSX.Element {
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

const Folded = ({ name, text }: { readonly name: string; readonly text: string }): JSX.Element => (
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
function PaperName({ id, papers, place = '' }: PaperNameProps): JSX.Element {
  const { store } = papers;
  const paper = papers.paperNames[id];
  if (paper === undefined) return <>{id}</>;
  const name = { title: `${paper.title} · ${id}`, children: paper.file };
  if (store === null) return <span {...name} />;
  const address = pathTo(documentPaths.paper, { store, paper: id }) + place;
  return <a href={address} target="_blank" rel="noreferrer" {...name} />;
}
