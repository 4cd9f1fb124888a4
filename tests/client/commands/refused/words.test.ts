// cspell:ignore dryrun promptfo firts opne
import { describe, it } from 'vitest';
import { registerView } from '../../../../client/commands/view.js';
import { registerCompletion } from '../../../../client/commands/completion.js';
import { expectRefusal, inEmptyFolder } from '../../../support/commands/refused-command.js';

inEmptyFolder();

describe('view', () => {
  it.each<[string, string[], RegExp]>([
    [
      'a port of none',
      ['view', '--port', '0'],
      /option '--port <n>' argument '0' is invalid\. It must be a whole number from 1/,
    ],
    [
      'a port out of range',
      ['view', '--port', '65536'],
      /option '--port <n>' argument '65536' is invalid\. It must be a whole number from/,
    ],
    [
      'a port below zero',
      ['view', '--port', '-1'],
      /option '--port <n>' argument '-1' is invalid\. It must be a whole number from 1/,
    ],
    [
      'a port with a part',
      ['view', '--port', '80.5'],
      /option '--port <n>' argument '80\.5' is invalid\. It must be a whole number from/,
    ],
    [
      'a name for a port',
      ['view', '--port', 'http'],
      /option '--port <n>' argument 'http' is invalid\. It must be a whole number from/,
    ],
    ['no port', ['view', '--port'], /option '--port <n>' argument missing/],
    [
      'two ports',
      ['view', '--port', '8080', '--port', '8081'],
      /option '--port <n>' is given twice, and takes one value/,
    ],
    [
      'a mistyped option',
      ['view', '--no-opne'],
      /unknown option '--no-opne' \(did you mean --no-open\?\)/,
    ],
    [
      'another mistyped option',
      ['view', '--prot', '8080'],
      /unknown option '--prot' \(did you mean --port\?\)/,
    ],
    [
      'an address',
      ['view', '--host', '0.0.0.0'],
      /on 0\.0\.0\.0, everybody on the network could read the token and all pages: give --tls-cert and --tls-key, or --insecure-host/,
    ],
    [
      'a run',
      ['view', 'first'],
      /too many arguments for 'view'\. Expected 0 arguments but got 1\./,
    ],
    ['a run by an option', ['view', '--run', 'first'], /unknown option '--run'/],
    ['a value of a switch', ['view', '--json=yes'], /unknown option '--json'/],
    [
      'an empty port',
      ['view', '--port', ''],
      /option '--port <n>' argument '' is invalid\. It must be a whole number from 1 to/,
    ],
    [
      'a port in another notation',
      ['view', '--port', '0x1F90'],
      /option '--port <n>' argument '0x1F90' is invalid\. It must be a whole number/,
    ],
  ])('%s', async (_what, words, sentence) => expectRefusal(registerView, words, sentence));
});

describe('completion', () => {
  it.each<[string, string[], RegExp]>([
    ['no shell', ['completion'], /missing required argument 'shell'/],
    [
      'another shell',
      ['completion', 'powershell'],
      /command-argument value 'powershell' is invalid for argument 'shell'\. Allowed/,
    ],
    [
      'a mistyped shell',
      ['completion', 'bsh'],
      /command-argument value 'bsh' is invalid for argument 'shell'\. Allowed choices/,
    ],
    [
      'a shell by its path',
      ['completion', '/bin/bash'],
      /command-argument value '\/bin\/bash' is invalid for argument 'shell'\. Allowed/,
    ],
    [
      'an empty shell',
      ['completion', ''],
      /command-argument value '' is invalid for argument 'shell'\. Allowed choices are/,
    ],
    [
      'two shells',
      ['completion', 'bash', 'zsh'],
      /too many arguments for 'completion'\. Expected 1 argument but got 2\./,
    ],
    ['an option', ['completion', 'bash', '--install'], /unknown option '--install'/],
    ['a shell by an option', ['completion', '--shell', 'bash'], /unknown option '--shell'/],
    [
      'another case',
      ['completion', 'Bash'],
      /command-argument value 'Bash' is invalid for argument 'shell'\. Allowed choices/,
    ],
  ])('%s', async (_what, words, sentence) => expectRefusal(registerCompletion, words, sentence));
});
