/** An endpoint's address as it is compared and hashed: however it was written, the same endpoint is the same text. */
export const endpointUrl = (baseUrl: string): string => new URL(baseUrl).href.replace(/\/+$/, '');
