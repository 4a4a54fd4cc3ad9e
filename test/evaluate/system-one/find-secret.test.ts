import { describe, expect, it } from 'vitest';
import { findSecret } from '../../../src/evaluate/system-one/request/find-secret.ts';
import { optionsFor, remoteRig, serve } from '../../support/remote.ts';
import { filesOf, inputOf } from '../../support/transition.ts';

// Put together at run time, so that no scanner takes this file for a leak.
const awsId = ['AKIA', 'Q3EGRIZ5V7', 'BCD2XY'].join('');
const base64 = 'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF0wDkS1kZ3lq9yq2l5t1mZ3mKp8a';
const pem = [
  '-----BEGIN RSA ',
  'PRIVATE KEY-----\n',
  `${base64}\n`.repeat(8),
  '-----END RSA ',
  'PRIVATE KEY-----\n',
].join('');
const hex = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const spread = (prefix: string, length: number): string =>
  prefix + 'a1B2c3D4e5F6g7H8'.repeat(Math.ceil(length / 16)).slice(0, length);

describe('findSecret', () => {
  it.each<[string, string]>([
    ['an AWS access key id', `const k = "${awsId}";`],
    ['the documented AWS example', ['AKIA', 'IOSFODNN7EXAMPLE'].join('')],
    ['an AWS secret access key', `AWS_SECRET_ACCESS_KEY=${spread('w', 39)}`],
    ['a private key block', pem],
    ['a private key in a diff', pem.replaceAll(/^/gm, '+')],
    ['a short private key', pem.replaceAll(`${base64}\n`, '').replace('KEY-----\n', 'KEY-----\nMIIE\n')],
    ['the end of a private key', pem.slice(-60)],
    ['an encrypted private key', '-----BEGIN ENCRYPTED '.concat('PRIVATE KEY-----')],
    ['a URL with a password', 'https://user:s3cr3tP4ss@db.internal:8443/x'],
    ['a database URL', 'postgres://user:s3cr3tP4ss@localhost/x'],
    ['a URL with a password and no user', 'redis://:hunter2@10.0.0.1:6379'],
    ['a GitHub token', spread('ghp_', 36)],
    ['a fine-grained GitHub token', spread('github_pat_', 60)],
    ['a GitLab token', spread('glpat-', 20)],
    ['a Slack token', ['xoxb', '123456789012', 'abcdefghijkl'].join('-')],
    ['a Stripe key', spread('sk_live_', 24)],
    ['an OpenAI key', spread('sk-proj-', 48)],
    ['an Anthropic key', spread('sk-ant-api03-', 95)],
    ['a Google key', spread('AIza', 35)],
    ['an npm token', spread('npm_', 36)],
    ['a registry token', '//registry.example/:_authToken=0123456789abcdef'],
    ['a JSON Web Token', `${spread('eyJ', 20)}.${spread('eyJ', 30)}.${spread('', 43)}`],
    ['an authorization header', `Authorization: Bearer ${spread('', 32)}`],
    ['a named secret', `api_key: "${hex.slice(0, 32)}"`],
    ['a named secret in an env file', `export DB_TOKEN=${hex.slice(0, 32)}\n`],
    ['a password in code', 'const password = "hunter2-hunter3";'],
    ['a token split over a concatenation', `const k = "${awsId.slice(0, 10)}" +\n  "${awsId.slice(10)}";`],
    ['a token split over adjacent literals', `k = ("${awsId.slice(0, 10)}"\n     "${awsId.slice(10)}")`],
    ['a token split by a backslash', `k = "${awsId.slice(0, 10)}\\\n${awsId.slice(10)}"`],
    ['a token folded in YAML', `key: >-\n  ${awsId.slice(0, 10)}\n  ${awsId.slice(10)}\n`],
    [
      'a token that a comment wants ignored',
      `// secretlint-disable\nconst k = "${spread('ghp_', 36)}";\n// secretlint-enable`,
    ],
  ])('suspects %s', async (_name, text) => {
    expect(await findSecret([{ text: 'nothing here' }, { text, path: 'a.ts' }])).not.toBeNull();
  });

  it.each<[string, string]>([
    ['a sha256 digest', `const digest = "${hex}";`],
    ['a commit id', `commit ${hex.slice(0, 40)}`],
    ['an integrity line', `"integrity": "sha512-${Buffer.from(hex).toString('base64')}=="`],
    ['a UUID', 'id = "123e4567-e89b-12d3-a456-426614174000"'],
    ['a public key', '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----'],
    ['a URL without a password', 'https://user@example.com/a:b@c'],
    ['a URL whose password is a variable', 'postgres://app:$' + '{DB_PASSWORD}@db/app'],
    ['code that handles secrets', 'const token = await readToken(request.headers.authorization);'],
    ['a type of a password', 'password: string;\napiKey?: string | null'],
    ['a placeholder', 'api_key = "<your key here>"'],
    ['a class name', 'class="sk-folding-cube sk-cube-parent-element"'],
    ['continents', 'ASIA\nAFRICA\nEUROPE\nAMERICA\n'],
    ['an ssh remote', 'git@github.com:org/repo.git'],
  ])('lets %s pass', async (_name, text) => {
    expect(await findSecret([{ text, path: 'a.ts' }])).toBeNull();
  });

  it('names the file, but not one whose name is the secret', async () => {
    const value = `const k = "${awsId}";`;

    expect(await findSecret([{ text: 'a.ts' }, { text: value, path: 'a.ts' }])).toEqual({
      detail: 'aws_access_key_id',
      path: 'a.ts',
    });
    expect(await findSecret([{ text: `${awsId}.ts` }, { text: 'x', path: `${awsId}.ts` }])).toEqual({
      detail: 'aws_access_key_id',
    });
  });

  it('reads a large file with little work', async () => {
    const text = 'const value = compute(alpha, beta, "gamma"); // token: none, secret key = false\n'.repeat(
      6_000,
    );
    await findSecret([{ text: 'warm' }]);
    const before = process.cpuUsage();

    expect(await findSecret([{ text }])).toBeNull();
    expect(process.cpuUsage(before).user).toBeLessThan(1_500_000);
  });
});

describe('a transition that holds a secret', () => {
  const hash = `const digest = "${hex}";\n`;

  it.each<[string, Record<string, [string | null, string | null]>]>([
    ['in an added line', { 'a.ts': [hash, `${hash}const k = "${awsId}";\n`] }],
    ['in a removed line', { 'a.ts': [`${hash}const k = "${awsId}";\n`, hash] }],
    ['in a deleted file', { 'a.ts': [pem, null] }],
    ['in a line that stays', { 'a.ts': [`${pem}a\n`, `${pem}b\n`] }],
    ['in an unchanged file', { 'a.ts': ['a', 'b'], 'b.ts': [pem, pem] }],
    ['in a file name', { [`${awsId}.ts`]: ['a', 'b'] }],
  ])('is not sent: %s', async (_name, sides) => {
    const server = await serve();
    const { evaluate } = remoteRig(optionsFor(server.url));

    const evaluation = await evaluate(inputOf(sides));

    expect(evaluation).toMatchObject({ status: 'not_evaluated', reason: 'secret_suspected' });
    expect(JSON.stringify(evaluation)).not.toMatch(new RegExp(`${awsId}|${base64.slice(0, 20)}`));
    expect(server.seen).toHaveLength(0);
  });

  it('is not sent when the criteria hold it', async () => {
    const server = await serve();
    const { evaluate } = remoteRig(optionsFor(server.url));
    const basis = { objective: `Rotate ${awsId}.`, acceptance: ['It is gone.'] };

    expect(await evaluate(inputOf({ 'a.ts': ['a', 'b'] }, { basis }))).toMatchObject({
      reason: 'secret_suspected',
    });
    expect(server.seen).toHaveLength(0);
  });

  it('is sent when it only looks long', async () => {
    const server = await serve();
    const { evaluate } = remoteRig(optionsFor(server.url));

    expect(await evaluate({ ...inputOf(), files: filesOf({ 'a.ts': ['', hash] }) })).toMatchObject({
      status: 'completed',
    });
    expect(server.seen).toHaveLength(1);
  });
});
