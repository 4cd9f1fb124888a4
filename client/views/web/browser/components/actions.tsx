import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { act } from '../use-page.js';
import { Dialog } from './dialog.jsx';

/** Something that can be done, after a confirmation. */
export interface Action {
  readonly name: string;
  readonly title: string;
  /** What the button of the dialog says. */
  readonly confirm: string;
  /** What it means, and what can be chosen. */
  readonly text: ComponentChildren;
  readonly path: string;
  /** Of the request, from the fields of the dialog. Throws an Error that says what is wrong with them. */
  readonly body?: (form: FormData) => unknown;
}

interface ActionsProps {
  readonly actions: readonly Action[];
  readonly onDone: () => void;
}

/** The buttons of what can be done, and what was done last. */
export function Actions({ actions, onDone }: ActionsProps): JSX.Element {
  const [asked, setAsked] = useState<Action | null>(null);
  const [done, setDone] = useState('');
  const close = (said: string | null): void => {
    const name = asked?.name;
    setAsked(null);
    if (said !== null) {
      setDone(said);
      onDone();
    }
    // The focus returns to the button, where it still is.
    document.querySelector<HTMLElement>(`[data-action="${name ?? ''}"]`)?.focus();
  };
  return (
    <>
      <p class="buttons">
        {actions.map((action) => (
          <button
            key={action.name}
            type="button"
            data-action={action.name}
            onClick={() => setAsked(action)}
          >
            {action.name} …
          </button>
        ))}
      </p>
      <p class="was-done" role="status">
        {done}
      </p>
      {asked && (
        <Dialog
          title={asked.title}
          confirm={asked.confirm}
          onConfirm={async (form) => act(asked.path, asked.body?.(form) ?? {})}
          onClose={close}
        >
          {asked.text}
        </Dialog>
      )}
    </>
  );
}
