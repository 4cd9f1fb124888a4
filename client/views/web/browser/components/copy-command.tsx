import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** A button that copies the command which says the same in a terminal. @param words - of the command, behind `turnwise` */
export function CopyCommand({ words }: { readonly words: readonly string[] }): JSX.Element {
  const [said, setSaid] = useState('Copy command');
  const command = ['turnwise', ...words.map(quoted)].join(' ');
  const copy = async (): Promise<void> => {
    // Browsers give no clipboard to pages of other machines without TLS.
    const isCopied = await Promise.resolve(navigator.clipboard)
      .then((clipboard) => clipboard.writeText(command))
      .then(() => true)
      .catch(() => false);
    setSaid(isCopied ? 'Copied' : command);
  };
  return (
    <button type="button" class="copy" title={command} onClick={() => void copy()}>
      {said}
    </button>
  );
}

/** As a shell reads it as one word. */
const quoted = (word: string): string =>
  /^[\w.:@%+,/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
