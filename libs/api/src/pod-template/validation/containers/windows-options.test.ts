import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject } from '@kruise/objects';
import { validatePodTemplate } from '../pod-template.ts';

const path = 'spec.containers[0].securityContext.windowsOptions';

const faultsOf = (spec: JsonObject, allowPrivileged = true): readonly string[] =>
  validatePodTemplate({ spec }, '', { allowPrivileged, hostNetworkHostPorts: false, claimVolumes: [] }).map(formatFieldError);
const containerWith = (windowsOptions?: JsonObject, name = 'a'): JsonObject => ({
  name,
  image: 'b',
  ...(windowsOptions === undefined ? {} : { securityContext: { windowsOptions } }),
});
const faultsOfOptions = (options: JsonObject): readonly string[] => faultsOf({ containers: [containerWith(options)] });

describe('the name of a user on Windows', () => {
  const characters = 'User cannot contain the following characters: "/\\:;|=,+*?<>@[]';

  it.each<{ name: string; user: string }>([
    { name: 'is a user', user: 'ContainerAdministrator' },
    { name: 'is a user of 104 characters', user: 'u'.repeat(104) },
    { name: 'has periods and spaces beside others', user: '. a .' },
    { name: 'has a NetBIOS domain of 15 characters', user: `${'D'.repeat(15)}\\user` },
    { name: 'has a DNS domain', user: 'corp.example.com\\user' },
    { name: 'has a domain of 255 characters', user: `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(63)}\\user` },
  ])('$name', ({ user }) => {
    expect(faultsOfOptions({ runAsUserName: user })).toEqual([]);
  });

  it.each<{ name: string; user: string; why: string }>([
    { name: 'is empty', user: '', why: 'cannot be an empty string' },
    { name: 'has a control character', user: 'a\u0007b', why: 'cannot contain control characters' },
    { name: 'has two backslashes', user: 'a\\b\\c', why: 'cannot contain more than one backslash' },
    { name: 'has no user after the domain', user: 'corp\\', why: "'s User cannot be empty" },
    { name: 'has 105 characters', user: 'u'.repeat(105), why: "'s User length must not be longer than 104 characters" },
    { name: 'has only periods and spaces', user: '. .', why: "'s User cannot contain only periods or spaces" },
    { name: 'has a character that is reserved', user: 'a@b', why: `'s ${characters}` },
    { name: 'has no domain before the backslash', user: '\\user', why: "'s Domain doesn't match the NetBios nor the DNS format" },
    { name: 'begins its domain with a period', user: '.corp\\user', why: "'s Domain doesn't match the NetBios nor the DNS format" },
    {
      name: 'has a NetBIOS domain of 16 characters',
      user: `${'D_'.repeat(8)}\\user`,
      why: "'s Domain doesn't match the NetBios nor the DNS format",
    },
    { name: 'has a domain of 256 characters', user: `${'d'.repeat(256)}\\user`, why: "'s Domain length must be under 256 characters" },
  ])('is refused if it $name', ({ user, why }) => {
    expect(faultsOfOptions({ runAsUserName: user })).toEqual([
      `${path}.runAsUserName: Invalid value: ${JSON.stringify(user)}: runAsUserName${why.startsWith("'") ? why : ` ${why}`}`,
    ]);
  });
});

it('a credential spec has 1 byte to 64 KiB', () => {
  const kibibytes64 = 'ä'.repeat(32 * 1024);
  expect(faultsOfOptions({ gmsaCredentialSpec: kibibytes64 })).toEqual([]);
  expect(faultsOfOptions({ gmsaCredentialSpec: `${kibibytes64}a` })).toEqual([
    expect.stringMatching(/gmsaCredentialSpec: Invalid value: .*: gmsaCredentialSpec size must be under 64 KiB$/s),
  ]);
  expect(faultsOfOptions({ gmsaCredentialSpec: '' })).toEqual([
    `${path}.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string`,
  ]);
});

describe('processes of the host', () => {
  const host = { hostProcess: true };
  const podWith = (containers: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({ hostNetwork: true, containers, ...more });

  it('are all containers of a Pod on the network of the host', () => {
    expect(faultsOf(podWith([containerWith(host), containerWith(host, 'b')]))).toEqual([]);
    expect(faultsOf(podWith([containerWith()], { securityContext: { windowsOptions: host } }))).toEqual([]);
  });

  it.each<{ name: string; spec: JsonObject; allowed?: boolean; faults: readonly string[] }>([
    {
      name: 'beside another container',
      spec: podWith([containerWith(host), containerWith(undefined, 'b')]),
      faults: ['spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers'],
    },
    {
      name: 'without the network of the host',
      spec: { containers: [containerWith(host)] },
      faults: ['spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers'],
    },
    {
      name: 'if the container contradicts its Pod',
      spec: podWith([containerWith({ hostProcess: false })], { securityContext: { windowsOptions: host } }),
      faults: [`${path}.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true`],
    },
    {
      name: 'if privileged containers are not allowed',
      spec: podWith([containerWith(host)]),
      allowed: false,
      faults: ['spec: Forbidden: hostProcess containers are disallowed by cluster policy'],
    },
  ])('are refused $name', ({ spec, allowed, faults }) => {
    expect(faultsOf(spec, allowed)).toEqual(faults);
  });
});
