import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedServer } from '../../temporal/server-settings.js';

/** A home of a user with a configuration file. */
function configured(text: string): { readonly XDG_CONFIG_HOME: string; readonly HOME: string } {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-config-'));
  const path = join(folder, 'temporal.toml');
  writeFileSync(path, text);
  return { XDG_CONFIG_HOME: folder, HOME: folder };
}

const file = `
[profile.default]
address = "far:7233"
namespace = "everyday"
api_key = "of-the-file"
[profile.team]
address = "team:7233"
namespace = "benchmarks"
[profile.team.tls]
server_name = "temporal.team"
`;

/** The same, by its path. */
function namedFile(text = file): { readonly TEMPORAL_CONFIG_FILE: string } {
  const { HOME } = configured(text);
  return { TEMPORAL_CONFIG_FILE: join(HOME, 'temporal.toml') };
}

describe('the Temporal server that the environment names', () => {
  it('has address, namespace and key of the variables', () => {
    const variables = { TEMPORAL_ADDRESS: 'a:1', TEMPORAL_NAMESPACE: 'n', TEMPORAL_API_KEY: 'k' };
    expect(namedServer(variables)).toMatchObject({
      namespace: 'n',
      connection: { address: 'a:1', apiKey: 'k', tls: true },
    });
  });

  it('has the namespace `default` and no TLS where nothing else is said', () => {
    const server = namedServer({ TEMPORAL_ADDRESS: 'a:1', TEMPORAL_NAMESPACE: '' });
    expect(server?.namespace).toBe('default');
    expect(server?.connection.tls).toBeUndefined();
  });

  it('takes from a configuration file what the variables leave open', () => {
    const server = namedServer({ ...namedFile(), TEMPORAL_ADDRESS: 'a:1' });
    expect(server).toMatchObject({
      namespace: 'everyday',
      connection: { address: 'a:1', apiKey: 'of-the-file' },
    });
  });

  it('is the one of the profile that is named', () => {
    const server = namedServer({ ...namedFile(), TEMPORAL_PROFILE: 'team' });
    expect(server).toMatchObject({
      namespace: 'benchmarks',
      connection: { address: 'team:7233', tls: { serverNameOverride: 'temporal.team' } },
    });
  });

  it('is none where only the user’s file names one, which is for other work', () => {
    expect(namedServer(configured(file))).toBeUndefined();
  });

  it.each([
    [
      'a profile that is missing',
      { ...namedFile(), TEMPORAL_PROFILE: 'other' },
      'TEMPORAL_PROFILE',
    ],
    ['a file that is no TOML', namedFile('api_key = secret-key'), 'TEMPORAL_CONFIG_FILE'],
    ['a file without profiles', namedFile(''), 'TEMPORAL_CONFIG_FILE'],
    [
      'a file that is missing',
      { TEMPORAL_CONFIG_FILE: '/nowhere/temporal.toml', TEMPORAL_PROFILE: 'team' },
      'TEMPORAL_CONFIG_FILE',
    ],
    [
      'a certificate that is missing',
      { TEMPORAL_ADDRESS: 'a:1', TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem' },
      'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    ],
  ])('is refused with the variable at fault: %s', (_case, variables, variable) => {
    let said = '';
    try {
      namedServer(variables);
    } catch (error) {
      expect(error).toMatchObject({ name: 'UserError', status: 2 });
      said = String(error);
    }
    expect(said).toMatch(/the settings of the Temporal server cannot be used \(.+\): check /);
    expect(said).toContain(variable);
    expect(said).not.toContain('secret-key');
  });
});
