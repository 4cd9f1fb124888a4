/** How a model writes its actions. `tools` is the provider's own tool calling, the others are texts. */
export const actionFormatNames = ['markdown', 'json', 'xml', 'yaml', 'tools'] as const;
export type ActionFormatName = (typeof actionFormatNames)[number];
export type TextFormatName = Exclude<ActionFormatName, 'tools'>;

/** What labels and fences surround an action; a property of the method. */
export const protocolNames = ['react', 'code_block'] as const;
export type ProtocolName = (typeof protocolNames)[number];
