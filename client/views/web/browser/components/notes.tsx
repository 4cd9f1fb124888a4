import type { JSX } from 'preact';
import { instantText, visibleText } from '../../../../../domain/formats/text.js';
import type { PageQuestion } from '../../../page/page-question.js';
import type { RunData } from '../../page-data.js';
import { isFile } from '../navigation.js';
import { removeNoteAction, withdrawAction } from '../run-actions.jsx';
import { Actions } from './actions.jsx';

/** Who has written a line, and when. */
const By = ({
  line: { by, at },
}: {
  readonly line: { readonly by: string; readonly at: string };
}): JSX.Element => (
  <span class="under">
    {visibleText(by)}, {instantText(at)}
  </span>
);

interface NotesProps {
  readonly run: string;
  readonly notes: RunData['notes'];
  readonly onDone: () => void;
}

/** What readers have noted on a run, or on a question. */
export const Notes = ({ run, notes, onDone }: NotesProps): JSX.Element => (
  <ul class="plain" aria-label="Notes">
    {notes.map((note) => (
      <li key={note.id} class="note">
        {note.tags.length > 0 && <strong>{visibleText(note.tags.join(', '))}</strong>}{' '}
        {visibleText(note.text)}
        <By line={note} />
        {!isFile && <Actions actions={[removeNoteAction(run, note.id)]} onDone={onDone} />}
      </li>
    ))}
  </ul>
);

interface RulingsProps {
  readonly question: Pick<PageQuestion, 'run' | 'open' | 'rulings'>;
  readonly onDone: () => void;
}

/** Why the result of a question is open for a ruling, and what people have ruled. */
export const Rulings = ({ question, onDone }: RulingsProps): JSX.Element => (
  <>
    {question.open !== null && <p class="note">Open for a ruling: {question.open}.</p>}
    <ul class="plain" aria-label="Rulings">
      {question.rulings.map((ruling) => (
        <li key={ruling.id} class="note">
          <strong>{ruling.decision}</strong> {visibleText(ruling.reason)}
          <By line={ruling} />
          {!isFile && (
            <Actions actions={[withdrawAction(question.run, ruling.id)]} onDone={onDone} />
          )}
        </li>
      ))}
    </ul>
  </>
);
