import type { JSX } from 'preact';
import type { Decision } from '../../../../domain/scoring/ruling.js';
import type { QuestionName, RunData } from '../page-data.js';
import { actionPaths, pathTo } from '../../page/page-paths.js';
import { type Action, Actions } from './components/actions.jsx';
import { PersonField, fieldOf, listOf, personIn } from './form.jsx';
import { instantText, visibleText } from '../../../../domain/formats/text.js';
import { isFile } from './navigation.js';

/** What can be done to a run as it is. */
export function actionsOf({ run, state, live, failed }: RunData): readonly Action[] {
  return [
    ...(live && state !== 'paused' ? [pause(run)] : []),
    ...(live && (state !== 'running' || live.waiting > 0) ? [resume(run)] : []),
    ...(live ? [tune(run, live)] : []),
    ...(failed > 0 ? [retry(run, failed)] : []),
    ...(live ? [cancel(run)] : []),
    noteAction(run, null),
    ...(state === 'done' ? [signAction(run)] : []),
  ];
}

const pause = (run: string): Action => ({
  name: 'Pause',
  title: `Pause ${run}?`,
  confirm: 'Pause',
  path: pathTo(actionPaths.pause, { run }),
  body: (form) => ({ now: form.has('now') }),
  text: (
    <>
      <p>Questions in flight end their turn, and wait. Nothing is lost.</p>
      <p>
        <label>
          <input type="checkbox" name="now" /> give up the model calls under way, too; they are made
          again
        </label>
      </p>
    </>
  ),
});

const resume = (run: string): Action => ({
  name: 'Resume',
  title: `Resume ${run}?`,
  confirm: 'Resume',
  path: pathTo(actionPaths.resume, { run }),
  text: <p>The run goes on, and questions that wait try again at once.</p>,
});

const cancel = (run: string): Action => ({
  name: 'Cancel',
  title: `Cancel ${run}?`,
  confirm: 'End the run',
  path: pathTo(actionPaths.cancel, { run }),
  text: (
    <p>
      What is in flight ends as cancelled, and no other question starts. What has ended is kept.
    </p>
  ),
});

const anewField = (
  <p>
    <label>
      <input type="checkbox" name="anew" /> from the first turn, instead of going on after the turns
      that are stored
    </label>
  </p>
);

const retry = (run: string, failed: number): Action => ({
  name: 'Retry',
  title: `Ask ${failed} ${failed === 1 ? 'question' : 'questions'} again?`,
  confirm: 'Ask again',
  path: pathTo(actionPaths.retry, { run }),
  body: (form) => ({ anew: form.has('anew') }),
  text: (
    <>
      <p>
        These ended for outside reasons: failures, the budget, the deadline, or because they were
        cancelled. The calls cost what they cost.
      </p>
      {anewField}
    </>
  ),
});

/** Ends a question that is in flight or has not begun. */
export const cancelQuestionAction = (run: string, uuid: string, epoch: number): Action => ({
  name: 'Cancel',
  title: 'Cancel this question?',
  confirm: 'Cancel it',
  path: pathTo(actionPaths.cancelQuestion, { run, uuid, epoch }),
  text: <p>It ends as cancelled. The turns that are stored are kept.</p>,
});

/** Asks a question again that has ended. */
export const retryAction = (run: string, uuid: string): Action => ({
  name: 'Retry',
  title: 'Ask this question again?',
  confirm: 'Ask again',
  path: pathTo(actionPaths.retryQuestion, { run, uuid }),
  body: (form) => ({ anew: form.has('anew') }),
  text: (
    <>
      <p>Its answer and its score are replaced, in every epoch. The calls cost what they cost.</p>
      {anewField}
    </>
  ),
});

/** @param about - null for the run itself */
export const noteAction = (run: string, about: QuestionName | null): Action => ({
  name: 'Note',
  title: `Note something on ${about ? 'this question' : run}`,
  confirm: 'Note it',
  path: pathTo(actionPaths.note, { run }),
  body: (form) => ({
    by: personIn(form),
    about,
    text: fieldOf(form, 'text'),
    tags: listOf(form, 'tags'),
  }),
  text: (
    <div class="fields">
      <label>
        what is noted
        <textarea name="text" rows={3} maxLength={2_000} />
      </label>
      <label>
        tags, with commas between them
        <input name="tags" autocomplete="on" />
      </label>
      <PersonField />
    </div>
  ),
});

const removeNoteAction = (run: string, note: string): Action => ({
  name: 'Remove',
  title: 'Remove this note?',
  confirm: 'Remove it',
  path: pathTo(actionPaths.removeNote, { run, note }),
  body: (form) => ({ by: personIn(form) }),
  text: (
    <div class="fields">
      <PersonField />
    </div>
  ),
});

/** As `turnwise runs rule` has them. */
const decisions: Readonly<Record<Decision, string>> = {
  exclude: 'exclude it: it enters no mean',
  wrong: 'count it as wrong',
  accept: 'accept it: it counts as it does',
  again: 'ask its question again',
  withdraw: 'take back what was ruled',
};

export const ruleAction = (run: string, uuid: string, epoch: number): Action => ({
  name: 'Rule',
  title: 'Rule on this result',
  confirm: 'Rule',
  path: pathTo(actionPaths.rule, { run }),
  body: (form) => ({
    by: personIn(form),
    about: [{ uuid, epoch }],
    decision: fieldOf(form, 'decision'),
    reason: fieldOf(form, 'reason'),
  }),
  text: (
    <div class="fields">
      <label>
        what becomes of it; what is stored stays as it is
        <select name="decision">
          {Object.entries(decisions).map(([decision, text]) => (
            <option key={decision} value={decision}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        why
        <textarea name="reason" rows={3} required maxLength={2_000} />
      </label>
      <PersonField />
    </div>
  ),
});

const signAction = (run: string): Action => ({
  name: 'Sign off',
  title: `Sign ${run} off?`,
  confirm: 'Sign off',
  path: pathTo(actionPaths.sign, { run }),
  body: (form) => ({ by: personIn(form) }),
  text: (
    <div class="fields">
      <PersonField />
    </div>
  ),
});

/** As `turnwise tune` takes them. What is not changed stays as it is, whatever it has become meanwhile. */
const tune = (run: string, { limits }: NonNullable<RunData['live']>): Action => ({
  name: 'Tune',
  title: `Tune ${run}`,
  confirm: 'Tune',
  path: pathTo(actionPaths.tune, { run }),
  body: (form) => {
    const changed = limits.filter(({ name, value }) => fieldOf(form, name) !== value);
    if (changed.length === 0) throw new Error('Nothing was changed.');
    return Object.fromEntries(changed.map(({ name }) => [name, fieldOf(form, name)]));
  },
  text: (
    <div class="fields">
      {limits.map(({ name, help, value }) => (
        <label key={name}>
          {help}
          <input name={name} defaultValue={value} required autocomplete="off" />
        </label>
      ))}
    </div>
  ),
});

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
