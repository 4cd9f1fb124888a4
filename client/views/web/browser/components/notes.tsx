import type { JSX } from 'preact';
import { instantText, visibleText } from '../../../../../domain/formats/text.js';
import type { RunData } from '../../page-data.js';
import { isFile } from '../navigation.js';
import { removeNoteAction } from '../run-actions.jsx';
import { Actions } from './actions.jsx';

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
        <span class="under">
          {visibleText(note.by)}, {instantText(note.at)}
        </span>
        {!isFile && <Actions actions={[removeNoteAction(run, note.id)]} onDone={onDone} />}
      </li>
    ))}
  </ul>
);
