import type { Connection } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { searchAttributes } from '../domain/ids.js';
import type { NamespaceState, ServerTrouble } from '../domain/services.js';
import { grpcStatus, refusedKey, statusOf, troubleError, isRefusal } from './explain-failure.js';
import type { ServerSettings } from './server-settings.js';

/** What a connection of a client or of a worker offers. */
type Services = Pick<Connection, 'workflowService' | 'operatorService'>;

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

type OperatorService = Connection['operatorService'];
type Attributes = Extract<NamespaceState, { kind: 'found' }>['attributes'];

const names = Object.values(searchAttributes);
/** INDEXED_VALUE_TYPE_KEYWORD in Temporal's API. */
const keyword = 2;

async function listAttributes(
  operatorService: OperatorService,
  namespace: string,
): Promise<Attributes> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const types = new Map(Object.entries(customAttributes));
    return {
      kind: 'listed',
      missing: names.filter((name) => !types.has(name)),
      otherType: names.filter((name) => (types.get(name) ?? keyword) !== keyword),
    };
  } catch (error) {
    // Some services list them in their own interface alone.
    if (isRefusal(error) || statusOf(error) === grpcStatus.unimplemented) return { kind: 'hidden' };
    throw error;
  }
}

/** The command that creates search attributes; all of them where a server does not list those it has. */
export const attributeCreation = (namespace: string, missing: readonly string[] = names): string =>
  `temporal operator search-attribute create --namespace ${namespace} ${missing.map((name) => `--name ${name} --type Keyword`).join(' ')}`;

/** Attributes that the workflows cannot use. They cannot be created anew before they are removed. */
export const otherTypeTrouble = (
  namespace: string,
  otherType: readonly string[],
): ServerTrouble => ({
  what: `search attributes of namespace ${namespace} are not of type Keyword: ${otherType.join(', ')}`,
  remedy: `remove them (\`temporal operator search-attribute remove --namespace ${namespace} ${otherType.map((name) => `--name ${name}`).join(' ')}\`), or use another namespace`,
  status: 2,
});

const missingTrouble = (namespace: string, missing: readonly string[]): ServerTrouble => ({
  what: `namespace ${namespace} lacks the search attributes ${missing.join(', ')}`,
  remedy: `whoever may create them runs \`${attributeCreation(namespace, missing)}\``,
  status: 2,
});

const lookMs = 250;
/** A server reads namespaces anew every few seconds. */
const looks = 240;

/**
 * Creates the search attributes that a namespace lacks, and waits until the server knows them.
 * @throws UserError with the command that creates them, where this key may not
 */
export async function provideSearchAttributes(
  { operatorService }: Pick<Connection, 'operatorService'>,
  namespace: string,
): Promise<void> {
  for (let look = 0; look < looks; look += 1) {
    const attributes = await listAttributes(operatorService, namespace);
    if (attributes.kind === 'hidden') return;
    const { missing, otherType } = attributes;
    if (otherType.length > 0) throw troubleError(otherTypeTrouble(namespace, otherType));
    if (missing.length === 0) return;
    if (look === 0) await create(operatorService, namespace, missing);
    await sleep(lookMs);
  }
  throw new Error(`namespace ${namespace} does not show the search attributes that it was given`);
}

async function create(
  operatorService: OperatorService,
  namespace: string,
  missing: readonly string[],
): Promise<void> {
  try {
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, keyword])),
    });
  } catch (error) {
    // Workers that start at the same time all find them missing.
    if (statusOf(error) === grpcStatus.alreadyExists) return;
    throw statusOf(error) === undefined ? error : troubleError(missingTrouble(namespace, missing));
  }
}
