import { resultText } from '../../../client/views/print-sections.js';
import type { Section } from '../../../client/views/sections/section.js';

/** Sections as a terminal shows them. */
export const sectionText = (...sections: readonly Section[]): string =>
  resultText('text', { title: '', sections, data: {} });
