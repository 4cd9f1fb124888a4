/** Fills a prompt's `{{name}}` places. Throws on a place without a value: a prompt with holes must never be sent. */
export function fillPrompt(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_place, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the prompt has no value for {{${name}}}`);
    return value;
  });
}
