import { chatBody, type ChatRequest } from '../chat-request.js';
import { anthropicBody } from './anthropic-body.js';
import { geminiBody, geminiPath } from './gemini-body.js';
import { apiFacts, type ModelApi, type RequestBody } from '../../model-api.js';
import { responsesBody } from './responses-body.js';

const bodies: Readonly<Record<ModelApi, (request: ChatRequest) => RequestBody>> = {
  chat: chatBody,
  responses: responsesBody,
  anthropic: anthropicBody,
  gemini: geminiBody,
};

/** Converts a request to the body that its API, model and endpoint accept. Settings that are null are left out. */
export const requestBody = (request: ChatRequest): RequestBody => bodies[request.api](request);

/** What follows the address of the API. */
export const requestPath = (request: Pick<ChatRequest, 'api' | 'model' | 'stream'>): string =>
  request.api === 'gemini' ? geminiPath(request) : apiFacts[request.api].path;
