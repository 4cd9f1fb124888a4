// The script of the page of a paper.

const partsOf = (item: string): NodeListOf<Element> =>
  document.querySelectorAll(`[data-item="${CSS.escape(item)}"]`);

/** The item that the pointer or the focus was last on. */
let shown = '';

/** Marks the boxes and the text of an item, and brings its text into view. */
function show({ target }: Event): void {
  const place = target instanceof Element ? target.closest('[data-item]') : null;
  const item = place?.getAttribute('data-item') ?? '';
  if (item === '' || item === shown) return;
  for (const part of partsOf(shown)) part.classList.remove('on');
  shown = item;
  for (const part of partsOf(shown)) {
    part.classList.add('on');
    if (place instanceof SVGElement && part instanceof HTMLElement) bringIntoView(part);
  }
}

/** Scrolls the list beside the page, and never the page itself. */
function bringIntoView(part: HTMLElement): void {
  const list = part.closest('.found');
  if (!list) return;
  const [inner, outer] = [part.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) {
    list.scrollTop += inner.top - outer.top;
  }
}

/** A box leads to its item. Where that is beside it already, the page stays where it is. */
function follow(event: Event): void {
  const box = event.target instanceof Element ? event.target.closest('svg [data-item]') : null;
  const item = box?.getAttribute('data-item') ?? '';
  const beside = box?.closest('.row')?.querySelector(`.found [data-item="${CSS.escape(item)}"]`);
  if (!(beside instanceof HTMLElement)) return;
  event.preventDefault();
  bringIntoView(beside);
}

document.addEventListener('pointerover', show);
document.addEventListener('click', follow);
document.addEventListener('focusin', show);
