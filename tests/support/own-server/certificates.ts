import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * A certification authority, whose key is thrown away, and what it has certified: a server at 127.0.0.1, also called
 * `temporal.example`, and a client. They expire in a hundred years. Made with `openssl`; their keys protect nothing.
 */
type CertificateName = 'ca' | 'server' | 'server-key' | 'client' | 'client-key';

export const certificatePath = (name: CertificateName): string =>
  fileURLToPath(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));

export const certificate = (name: CertificateName): string =>
  readFileSync(certificatePath(name), 'utf8');
