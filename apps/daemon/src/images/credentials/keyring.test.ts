import { describe, expect, it } from '@jest/globals';
import { agentLimits, type Secret } from '@kruise/objects';
import { credentialsOfSecret, parseDockerConfig, UnreadableCredentials } from './docker-config.ts';
import { credentialsFor, keyOfLocation, usableFor } from './keyring.ts';
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
  ['r.io?x=1', 'r.io'],
  ['https://r.io/team?x=1#y', 'r.io/team'],
  ['r.io#y', 'r.io'],
  ['r.io/http://x', 'r.io/http://x'],
  ['r.io/team/v1/app', 'r.io/team/v1/app'],
  ['r.io/v3/team', 'r.io/v3/team'],
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
  ['r\\*.io', 'rx.io/app', false],
  ['r\\?.io', 'r?.io/app', true],
  ['eu-[a-c1].r.io', 'eu-b.r.io/app', true],
  ['eu-[a-c1].r.io', 'eu-1.r.io/app', true],
  ['eu-[a-c1].r.io', 'eu-d.r.io/app', false],
  ['eu-[^^].r.io', 'eu-^.r.io/app', false],
  ['eu-[[].r.io', 'eu-[.r.io/app', true],
  ['r(1).io', 'r(1).io/app', true],
  ['r|x.io', 'r.io/app', false],
  ['r$.io', 'r.io/app', false],
  ['r.io', 'xr.io/app', false],
  ['r*.io', 'xr1.io/app', false],
  ['*r.io', 'r1.io/app', false],
  ['r.io:*', 'r.io:5000/app', false],
  ['r.io:', 'r.io/app', true],
  ['a:b:1', 'a/app', false],
  ['a:b:1', 'a:b:1/app', false],
  ['r', 'r.io/app', false],
  ['*.r.io/team', 'eu.r.io/team/app', true],
  ['r.*', 'r/app', false],
  ['eu-[z-a].r.io', 'eu-b.r.io/app', false],
  ['[::1]:5000', '[::1]:5000/app', true],
  [':5000', ':5000/app', false],
  ['r.io/', 'r.io', false],
  ['r.io', 'r.io', true],
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
  ['localhost/app', true],
  ['r.io', true],
  ['/app', false],
])('%s is of the default registry: %s', (repository, of) => {
  expect(isOfDefaultRegistry(repository)).toBe(of);
});

describe('the keyring', () => {
  const known = (...locations: readonly string[]) =>
    locations.map((location, index) => ({ location, credential: { username: `${location} ${index}`, password: 'p' } }));
  const users = (repository: string, ...locations: readonly string[]): readonly string[] =>
    credentialsFor(repository, known(...locations)).map(({ username }) => username);

  it('returns all that match, the more specific location first, of one location in the given order', () => {
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
    expect(users('docker.io/library/nginx', 'r.io')).toEqual([]);
    expect(users('docker.io/library/nginx', '', 'https://', docker)).toEqual([`${docker} 2`]);
  });
});

describe('docker configurations', () => {
  it('are read in both formats; auth takes precedence, other members are ignored, and so are entries without any', () => {
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
    expect(parseDockerConfig('{"auths":null}', 'config.json', 'f')).toEqual([]);
    expect(parseDockerConfig('{}', '.dockercfg', 'f')).toEqual([]);
  });

  it('may have one of user and password, and members of other types count as absent', () => {
    const read = (entry: object): unknown => parseDockerConfig(JSON.stringify({ r: entry }), '.dockercfg', 'f')[0]?.credential;
    expect(read({ username: 'u' })).toEqual({ username: 'u', password: '' });
    expect(read({ password: 'p' })).toEqual({ username: '', password: 'p' });
    expect(read({ auth: '', username: 'u', password: 'p' })).toEqual({ username: 'u', password: 'p' });
    expect(read({ auth: 5, username: 'u', password: 5 })).toEqual({ username: 'u', password: '' });
    expect(read({ username: 5, password: 6 })).toBeUndefined();
  });

  it('have auths as docker writes them: padded or not, with spaces around, filled up with zero bytes', () => {
    const read = (auth: string): unknown => parseDockerConfig(JSON.stringify({ r: { auth } }), '.dockercfg', 'f')[0]?.credential;
    const credential = { username: 'u', password: 'p' };
    for (const text of ['u:p', '\0u:p', 'u:p\0\0', 'u:\0\0p'])
      expect(read(base64(text))).toEqual(text.startsWith('\0') ? { ...credential, username: '\0u' } : credential);
    expect(read(base64('u:p').replaceAll('=', ''))).toEqual(credential);
    expect(read(` ${base64('u:p')}\n`)).toEqual(credential);
    expect(read(base64('u:\0p\0q\0'))).toEqual({ username: 'u', password: 'p\0q' });
    expect(read(base64(':p'))).toEqual({ username: '', password: 'p' });
    expect(read(base64('u:'))).toEqual({ username: 'u', password: '' });
    for (const broken of ['dTpw!', '!dTpw', 'dTpw===']) expect(() => read(broken)).toThrow('f: an auth is not the base64 of user:password');
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
  ])('that are malformed are refused without quoting them: %s', (text) => {
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
    ['with data of another type', { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 5 as unknown as string } }, 0],
    ['with empty data', { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': '' } }, 0],
    ['without type', { data: { '.dockercfg': base64('{"r.io":{"username":"u"}}') } }, 0],
    ['without data', { type: 'kubernetes.io/dockercfg' }, 0],
  ])('in a secret %s', (_name, secret, count) => {
    expect(credentialsOfSecret({ metadata: { name: 's', namespace: 'ns' }, ...secret })).toHaveLength(count);
  });

  it('in a secret that cannot be read are reported with its name', () => {
    const broken = { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('x') } };
    expect(() => credentialsOfSecret({ metadata: { name: 's', namespace: 'ns' }, ...broken })).toThrow('secret ns/s: is not a JSON object');
    expect(() => credentialsOfSecret({ metadata: { name: 's' }, ...broken })).toThrow('secret /s: is not a JSON object');
    expect(() => parseDockerConfig('{"auths":5}', 'config.json', 'f')).toThrow('f: auths must be an object');
    expect(() => parseDockerConfig('{"r":5}', '.dockercfg', 'f')).toThrow('f: an entry is not an object');
  });
});

describe('what a secret has for an image', () => {
  const entry = (location: string, length = 1) => ({ location, credential: { username: 'u', password: 'x'.repeat(length) } });
  const longest = agentLimits.credentialsOfSecret.value - 'r.io'.length - 1;

  it('includes what matches the repository, and the fallback of the default registry', () => {
    const known = [entry('r.io'), entry('other.io'), entry('https://index.docker.io/v1/'), entry('*.io/team'), entry('')];
    expect(usableFor('r.io/team/app', known)).toEqual({ credentials: [known[0], known[3]], isCut: false });
    expect(usableFor('docker.io/library/nginx', known)).toEqual({ credentials: [known[2]], isCut: false });
  });

  it('gives the same choice as all credentials', () => {
    const known = [entry('r.io'), entry('r.io/team', 2), entry('index.docker.io', 3), entry('docker.io', 4), entry('other.io')];
    for (const repository of ['r.io/team/app', 'r.io/x', 'docker.io/library/nginx', 'none.io/app'])
      expect(credentialsFor(repository, usableFor(repository, known).credentials)).toEqual(credentialsFor(repository, known));
  });

  it('has a maximum size; a credential that is too long is skipped, and the next one included', () => {
    const known = [entry('r.io', longest + 1), entry('r.io', longest - 100), entry('r.io', 200), entry('r.io', 90)];
    expect(usableFor('r.io/app', known)).toEqual({ credentials: [known[1], known[3]], isCut: true });
    expect(usableFor('r.io/app', [entry('r.io', longest)]).isCut).toBe(false);
  });
});

describe('a secret of 1 MiB', () => {
  const millisecondsOf = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1000;
  };

  it('with one password of zero bytes is read quickly', () => {
    const auth = base64(`u:x${'\0'.repeat(500_000)}x\0`);
    const text = JSON.stringify({ auths: { 'r.io': { auth } } });
    expect(
      millisecondsOf(() => {
        const [found] = parseDockerConfig(text, 'config.json', 'f');
        expect(found?.credential.password).toHaveLength(500_002);
      }),
    ).toBeLessThan(2000);
  });

  it('with 50,000 equivalent locations is processed quickly', () => {
    const known = Array.from({ length: 50_000 }, (_, index) => ({
      location: `r.io?${String(index)}`,
      credential: { username: 'u', password: String(index) },
    }));
    expect(millisecondsOf(() => expect(credentialsFor('r.io/app', known)).toHaveLength(50_000))).toBeLessThan(2000);
  });
});
