import type { JSX } from 'preact';
import type { TextPiece } from '../../../../../domain/formats/text-difference.js';

/** How two texts differ, with words for those who do not see it. */
export function Difference({ pieces }: { readonly pieces: readonly TextPiece[] }): JSX.Element {
  return (
    <p class="difference">
      {pieces.map(({ kind, text }, at) => {
        if (kind === 'same') return text;
        const Mark = kind === 'added' ? 'ins' : 'del';
        return (
          <Mark key={at}>
            <span class="unseen">{kind}: </span>
            {text}
          </Mark>
        );
      })}
    </p>
  );
}
