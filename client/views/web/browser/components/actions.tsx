import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState, useEffect } from 'preact/hooks';
import { act } from '../use-page.js';
import { Problem } from './page.jsx';

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

interface DialogProps {
  readonly title: string;
  /** What the button says that does it. */
  readonly confirm: string;
  readonly children: ComponentChildren;
  /** Resolves to what was done; rejects with an Error that says why it was not. */
  readonly onConfirm: (form: FormData) => Promise<string>;
  readonly onClose: (done: string | null) => void;
}

/** Asks before something is done. Escape and Cancel leave everything as it is. */
function Dialog({ title, confirm, children, onConfirm, onClose }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const done = useRef<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement) || isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      done.current = await onConfirm(new FormData(event.currentTarget));
      element.current?.close();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  // However it closes, the browser gives the focus back and says so afterwards.
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={() => onClose(done.current)}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        <Problem text={problem} />
        <p class="buttons">
          <button type="submit" class="first" disabled={isBusy}>
            {isBusy ? 'One moment …' : confirm}
          </button>
          <button type="button" onClick={() => element.current?.close()}>
            Leave it
          </button>
        </p>
      </form>
    </dialog>
  );
}
