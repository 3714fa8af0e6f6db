import { describe, expect, it } from '@jest/globals';
import type { Secret } from '@kruise/objects';
import { credentialsOfSecret, parseDockerConfig, UnreadableCredentials } from './docker-config.ts';
import { credentialsFor, keyOfLocation } from './keyring.ts';
import { isOfDefaultRegistry, matchesRepository } from './registry-match.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

it.each([
  ['r.io', 'r.io'],
  ['https://r.io', 'r.io'],
  ['http://r.io:5000/', 'r.io:5000'],
  ['https://index.docker.io/v1/', 'index.docker.io'],
  ['https://r.io/v2/', 'r.io'],
  ['https://r.io/v2/team', 'r.io/team'],
  ['r.io/team/', 'r.io/team/'],
  ['r.io/v1', 'r.io/v1'],
  ['https:///x', undefined],
  ['', undefined],
])('location %j has the key %j', (location, key) => {
  expect(keyOfLocation(location)).toBe(key);
});

it.each<[string, string, boolean]>([
  ['r.io', 'r.io/app', true],
  ['r.io:5000', 'r.io:5000/app', true],
  ['r.io:5000', 'r.io/app', false],
  ['r.io', 'r.io:5000/app', false],
  ['*.r.io', 'eu.r.io/app', true],
  ['*.r.io', 'r.io/app', false],
  ['*.r.io', 'a.eu.r.io/app', false],
  ['*.*.r.io', 'a.eu.r.io/app', true],
  ['*.dkr.ecr.*.amazonaws.com', '1234.dkr.ecr.eu-west-1.amazonaws.com/app', true],
  ['eu-?.r.io', 'eu-1.r.io/app', true],
  ['eu-?.r.io', 'eu-12.r.io/app', false],
  ['eu-[0-9].r.io', 'eu-7.r.io/app', true],
  ['eu-[0-9].r.io', 'eu-x.r.io/app', false],
  ['eu-[^0-9].r.io', 'eu-x.r.io/app', true],
  ['eu-[0-9.r.io', 'eu-7.r.io/app', false],
  ['r+.io', 'rr.io/app', false],
  ['r.io/team', 'r.io/team/app', true],
  ['r.io/team', 'r.io/teamwork/app', true],
  ['r.io/team', 'r.io/other/app', false],
  ['r.io/te*', 'r.io/team/app', false],
  ['', 'r.io/app', false],
  ['r.io:x', 'r.io/app', false],
])('%s fits %s: %s', (pattern, repository, fits) => {
  expect(matchesRepository(pattern, repository)).toBe(fits);
});

it.each<[string, boolean]>([
  ['nginx', true],
  ['foo/bar', true],
  ['docker.io/library/nginx', true],
  ['index.docker.io/library/nginx', true],
  ['r.io/app', false],
  ['localhost:5000/app', false],
  ['/app', false],
])('%s is of the default registry: %s', (repository, of) => {
  expect(isOfDefaultRegistry(repository)).toBe(of);
});

describe('the keyring', () => {
  const known = (...locations: readonly string[]) =>
    locations.map((location, index) => ({ location, credential: { username: `${location} ${index}`, password: 'p' } }));
  const users = (repository: string, ...locations: readonly string[]): readonly string[] =>
    credentialsFor(repository, known(...locations)).map(({ username }) => username);

  it('gives all that fit, the more special location first, of one location in the order given', () => {
    expect(users('r.io/team/app', 'r.io', 'other.io', 'https://r.io/team', 'r.io', '*.io')).toEqual([
      'https://r.io/team 2',
      'r.io 0',
      'r.io 3',
      '*.io 4',
    ]);
  });

  it('falls back to index.docker.io for images of docker.io only', () => {
    const docker = 'https://index.docker.io/v1/';
    expect(users('docker.io/library/nginx', docker, 'r.io')).toEqual([`${docker} 0`]);
    expect(users('docker.io/library/nginx', docker, 'docker.io')).toEqual(['docker.io 1']);
    expect(users('q.io/nginx', docker)).toEqual([]);
  });
});

describe('docker configurations', () => {
  it('are read in both formats; auth outweighs the rest, other members are ignored, and so are entries without any', () => {
    const entries = {
      'r.io': { auth: base64('user:pass:word'), username: 'x', password: 'y' },
      'q.io': { username: 'u', password: 'p' },
      's.io': { identitytoken: 't' },
    };
    const read = [
      { location: 'r.io', credential: { username: 'user', password: 'pass:word' } },
      { location: 'q.io', credential: { username: 'u', password: 'p' } },
    ];
    expect(parseDockerConfig(JSON.stringify({ auths: entries, HttpHeaders: {} }), 'config.json', 'f')).toEqual(read);
    expect(parseDockerConfig(JSON.stringify(entries), '.dockercfg', 'f')).toEqual(read);
    expect(parseDockerConfig('{}', 'config.json', 'f')).toEqual([]);
  });

  it.each([
    '{"auths":',
    'null',
    '[]',
    '"top-secret"',
    '{"auths":[]}',
    '{"auths":{"r.io":"top-secret"}}',
    `{"auths":{"r.io":{"auth":"${base64('top-secret')}"}}}`,
    '{"auths":{"r.io":{"auth":"top-secret!"}}}',
  ])('that are broken are refused without a word of what is in them: %s', (text) => {
    const parse = () => parseDockerConfig(text, 'config.json', 'secret ns/s');
    expect(parse).toThrow(UnreadableCredentials);
    expect(parse).toThrow(/^secret ns\/s: (?!.*top-secret)/);
  });

  it.each<[string, Partial<Secret>, number]>([
    [
      'of dockerconfigjson',
      { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('{"auths":{"r.io":{"username":"u"}}}') } },
      1,
    ],
    ['of dockercfg', { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('{"r.io":{"username":"u"}}') } }, 1],
    ['of another type', { type: 'Opaque', data: { '.dockerconfigjson': base64('{"auths":{"r.io":{"username":"u"}}}') } }, 0],
    ['of a type that is a member of every object', { type: 'constructor', data: {} }, 0],
    ['without its key', { type: 'kubernetes.io/dockercfg', data: { other: 'x' } }, 0],
    ['without data', { type: 'kubernetes.io/dockercfg' }, 0],
  ])('in a secret %s', (_name, secret, count) => {
    expect(credentialsOfSecret({ metadata: { name: 's', namespace: 'ns' }, ...secret })).toHaveLength(count);
  });
});
