import type { Connection } from '@temporalio/client';
import type { NamespaceState, ServerTrouble } from '../domain/services.js';
import { listAttributes } from './search-attributes.js';
import type { ServerSettings } from './server-settings.js';
import { grpcStatus, refusedKey, statusOf, troubleError } from './trouble.js';

/** What a connection of a client or of a worker offers. */
export type Services = Pick<Connection, 'workflowService' | 'operatorService'>;

/** What a server says about a namespace and its search attributes. Rejects where it does not answer. */
export async function inspectNamespace(
  { workflowService, operatorService }: Services,
  server: ServerSettings,
): Promise<NamespaceState> {
  const { namespace: name } = server;
  try {
    const { config } = await workflowService.describeNamespace({ namespace: name });
    const seconds = config?.workflowExecutionRetentionTtl?.seconds;
    return {
      kind: 'found',
      name,
      retentionMs: seconds ? Number(seconds) * 1000 : null,
      attributes: await listAttributes(operatorService, name),
    };
  } catch (error) {
    const trouble = troubleOf(error, server);
    if (trouble === null) throw error;
    return { kind: 'trouble', trouble };
  }
}

/**
 * Throws UserError where a server says that the namespace cannot be used. One that says nothing of the kind, for example
 * since its database restarts, shows at the next call what it is worth.
 */
export async function requireNamespace(
  { workflowService }: Pick<Services, 'workflowService'>,
  server: ServerSettings,
): Promise<void> {
  try {
    await workflowService.describeNamespace({ namespace: server.namespace });
  } catch (error) {
    const trouble = troubleOf(error, server);
    if (trouble !== null) throw troubleError(trouble);
  }
}

/** What a refused question about the namespace means; null where it means nothing for sure. */
function troubleOf(
  error: unknown,
  { namespace, connection: { address, apiKey } }: ServerSettings,
): ServerTrouble | null {
  switch (statusOf(error)) {
    case grpcStatus.notFound:
      return {
        what: `Temporal at ${address} has no namespace ${namespace}`,
        remedy: `correct TEMPORAL_NAMESPACE, or create it with \`temporal operator namespace create --namespace ${namespace} --retention 30d\``,
        status: 2,
      };
    case grpcStatus.permissionDenied:
      return apiKey === undefined
        ? refusedKey(address, apiKey)
        : {
            what: `Temporal at ${address} refuses namespace ${namespace} to this API key`,
            remedy: 'correct TEMPORAL_API_KEY or TEMPORAL_NAMESPACE',
            status: 2,
          };
    case grpcStatus.unauthenticated:
      return refusedKey(address, apiKey);
    case undefined:
    default:
      return null;
  }
}
