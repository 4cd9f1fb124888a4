/** One thing the doctor looked at. A `note` is worth knowing and stops nothing. */
export type Check =
  | { readonly kind: 'ok'; readonly name: string; readonly detail: string }
  | {
      readonly kind: 'note';
      readonly name: string;
      readonly detail: string;
      readonly remedy: string;
    }
  | {
      readonly kind: 'problem';
      readonly name: string;
      readonly detail: string;
      readonly remedy: string;
      /** 2: settings or files are at fault. 3: a service cannot be reached. */
      readonly status: 2 | 3;
    };

export const ok = (name: string, detail: string): Check => ({ kind: 'ok', name, detail });

export const note = (name: string, detail: string, remedy: string): Check => ({
  kind: 'note',
  name,
  detail,
  remedy,
});

export const problem = (status: 2 | 3, name: string, detail: string, remedy: string): Check => ({
  kind: 'problem',
  name,
  detail,
  remedy,
  status,
});
