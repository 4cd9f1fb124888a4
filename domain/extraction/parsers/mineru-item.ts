import { z } from 'zod';
import type { Box } from '../page-content.js';

const texts = z.array(z.string()).optional();

/** An item of MinerU's list of contents. Versions before 2 call the captions of images `img_caption` and give no boxes. */
export const mineruItemSchema = z.object({
  type: z.string(),
  page_idx: z.int().nonnegative(),
  bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullish(),
  text: z.string().optional(),
  text_level: z.int().nonnegative().optional(),
  sub_type: z.string().nullish(),
  list_items: texts,
  image_caption: texts,
  img_caption: texts,
  chart_caption: texts,
  table_caption: texts,
  table_footnote: texts,
  table_body: z.string().optional(),
  code_caption: texts,
  code_body: z.string().optional(),
});
export type MineruItem = Readonly<z.infer<typeof mineruItemSchema>> & {
  /** In points, where the middle file tells it. */
  readonly box?: Box | null;
};
