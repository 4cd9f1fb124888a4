import { makePdf, type PdfText } from './make-pdf.js';

type Line = Omit<PdfText, 'y'>;

/** Lines below one another, the first at the top of the page. */
const linesOf = (lines: readonly (string | Line)[]): readonly PdfText[] =>
  lines.map((line, index) => ({
    ...(typeof line === 'string' ? { text: line } : line),
    y: 730 - index * 18,
  }));
const heading = (text: string, size = 12): Line => ({ text, size, bold: true });

/** Two pages with an outline; section Method begins and ends on page 1. */
export const lanternPaper = (): Buffer =>
  makePdf({
    title: 'Lantern: Counting Fireflies with Cheap Cameras',
    author: 'Ada Field; Bo Marsh',
    keywords: 'fireflies, counting',
    outline: [
      { title: 'Introduction', page: 1, y: 665 },
      { title: 'Method', page: 1, y: 610, children: [{ title: 'Cameras', page: 1, y: 575 }] },
      { title: 'Results', page: 1, y: 560 },
    ],
    pages: [
      linesOf([
        { text: 'Lantern: Counting Fireflies with Cheap Cameras', size: 18 },
        heading('Abstract', 10),
        'We count fireflies at night with cameras that cost nine dollars.',
        'The error stays below four percent.',
        heading('1 Introduction'),
        'Fireflies are hard to count by eye.',
        'Earlier surveys relied on volunteers.',
        heading('2 Method'),
        'Each camera stands on a pole of two metres.',
        heading('3 Results'),
        'The wet meadow held 412 fireflies.',
      ]),
      linesOf(['The dry meadow held 57 fireflies.', 'Moonlight halves the count.']),
    ],
  });

/** One page without outline and title property. */
export const bakeryPaper = (): Buffer =>
  makePdf({
    pages: [
      linesOf([
        { text: 'Scheduling Ovens in', size: 20 },
        { text: 'Small Bakeries', size: 20 },
        'Cy Baker',
        heading('Abstract'),
        'A greedy schedule of ovens wastes little heat.',
        heading('1 Introduction'),
        'Bakeries start their ovens at three in the morning.',
        'Bread with a crust needs steam.',
        heading('2 Conclusion'),
        'Greedy schedules suffice for four ovens.',
      ]),
    ],
  });
