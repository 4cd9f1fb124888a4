import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

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
export function Dialog({ title, confirm, children, onConfirm, onClose }: DialogProps): JSX.Element {
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
        {problem !== null && (
          <p class="note problem" role="alert">
            {problem}
          </p>
        )}
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
