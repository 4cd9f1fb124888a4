import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
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

interface Asked {
  /** How many were asked before. */
  readonly number: number;
  readonly action: Action;
}

/** The buttons of what can be done, and what was done last. */
export function Actions({ actions, onDone }: ActionsProps): JSX.Element {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [done, setDone] = useState('');
  const asks = useRef(0);
  const ask = (action: Action): void => {
    setAsked({ number: asks.current, action });
    asks.current += 1;
  };
  const close = (closed: Asked, said: string | null): void => {
    // A dialog says late that it was closed: the next may be open.
    setAsked((current) => (current?.number === closed.number ? null : current));
    if (said === null) return;
    setDone(said);
    onDone();
  };
  return (
    <>
      <p class="buttons">
        {actions.map((action) => (
          <button
            key={action.name}
            type="button"
            data-action={action.name}
            onClick={() => ask(action)}
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
          key={asked.number}
          title={asked.action.title}
          confirm={asked.action.confirm}
          onConfirm={async (form) => act(asked.action.path, asked.action.body?.(form) ?? {})}
          onClose={(said) => close(asked, said)}
        >
          {asked.action.text}
        </Dialog>
      )}
    </>
  );
}
