import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '@kruise/objects';
import { coreTypes } from './core-types.ts';
import { declaredJson, knownMembers, normalizeStruct } from './normalize.ts';

const json = (value: unknown, type: string): string => canonicalJson(normalizeStruct(value, type));

describe('normalizeStruct', () => {
  it.each<[string, string, unknown, string]>([
    [
      'keeps pointer scalars at any value',
      'SecurityContext',
      { privileged: false, runAsUser: 0, procMount: '' },
      '{"privileged":false,"procMount":"","runAsUser":0}',
    ],
    [
      'drops empty plain scalars',
      'Probe',
      { initialDelaySeconds: 0, terminationGracePeriodSeconds: 0 },
      '{"terminationGracePeriodSeconds":0}',
    ],
    ['drops null and empty lists', 'PodDNSConfig', { nameservers: [], searches: null }, '{}'],
    ['drops empty maps', 'LabelSelector', { matchLabels: {} }, '{}'],
    ['keeps empty structs', 'Volume', { name: 'v', emptyDir: {} }, '{"emptyDir":{},"name":"v"}'],
    ['never drops elements of lists', 'ExecAction', { command: ['', 'a'] }, '{"command":["","a"]}'],
    ['writes what is always there', 'Container', {}, '{"name":"","resources":{}}'],
    ['writes what is always there, nested', 'PodTemplateSpec', {}, '{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}'],
    ['writes an absent service of a gRPC probe as null', 'GRPCAction', { port: 1 }, '{"port":1,"service":null}'],
    ['writes an absent port as zero', 'GRPCAction', {}, '{"port":0,"service":null}'],
    ['keeps an empty service of a gRPC probe', 'GRPCAction', { port: 1, service: '' }, '{"port":1,"service":""}'],
    [
      'writes the divisor of a resource reference',
      'ResourceFieldSelector',
      { resource: 'limits.cpu' },
      '{"divisor":"0","resource":"limits.cpu"}',
    ],
    [
      'makes quantities canonical',
      'ResourceRequirements',
      { limits: { cpu: '0.1', memory: '1024Mi' } },
      '{"limits":{"cpu":"100m","memory":"1Gi"}}',
    ],
    ['keeps a size limit of zero', 'EmptyDirVolumeSource', { sizeLimit: '0', medium: '' }, '{"sizeLimit":"0"}'],
    ['leaves an unreadable quantity alone', 'ResourceRequirements', { limits: { cpu: 'much' } }, '{"limits":{"cpu":"much"}}'],
    ['keeps unknown members whole', 'EnvVar', { name: 'A', fresh: { empty: '', list: [] } }, '{"fresh":{"empty":"","list":[]},"name":"A"}'],
    ['drops an unknown null', 'EnvVar', { name: 'A', fresh: null }, '{"name":"A"}'],
    [
      'reaches into claim templates of volumes',
      'EphemeralVolumeSource',
      { volumeClaimTemplate: {} },
      '{"volumeClaimTemplate":{"metadata":{"creationTimestamp":null},"spec":{"resources":{}}}}',
    ],
    [
      'keeps a label named __proto__',
      'ObjectMeta',
      JSON.parse('{"labels":{"__proto__":"x"}}'),
      '{"creationTimestamp":null,"labels":{"__proto__":"x"}}',
    ],
    [
      'writes null in a map of texts as an empty one',
      'LabelSelector',
      { matchLabels: { a: null, b: 'x' } },
      '{"matchLabels":{"a":"","b":"x"}}',
    ],
    [
      'writes null in a map of quantities as zero',
      'ResourceRequirements',
      { limits: { cpu: null, memory: '1024' } },
      '{"limits":{"cpu":"0","memory":"1024"}}',
    ],
    [
      'takes bare numbers for quantities',
      'ResourceRequirements',
      { limits: { cpu: 2, memory: 1024n } },
      '{"limits":{"cpu":"2","memory":"1024"}}',
    ],
    [
      'leaves what is no map alone where a map should be',
      'ResourceRequirements',
      { limits: 'x', requests: ['y'] },
      '{"limits":"x","requests":["y"]}',
    ],
    [
      'leaves what is no list alone where a list should be',
      'PodSpec',
      { containers: 'x', volumes: { a: 1 } },
      '{"containers":"x","volumes":{"a":1}}',
    ],
    ['takes null in a list of objects for an empty one', 'PodSpec', { containers: [null] }, '{"containers":[{"name":"","resources":{}}]}'],
    ['keeps a list that is not empty, and a zero in it', 'PodDNSConfig', { nameservers: [''] }, '{"nameservers":[""]}'],
    [
      'drops false and empty texts of plain members',
      'Container',
      { name: 'a', stdin: false, image: '', workingDir: '' },
      '{"name":"a","resources":{}}',
    ],
    [
      'writes null in a list of texts as an empty one',
      'Container',
      { name: 'a', args: ['x', null] },
      '{"args":["x",""],"name":"a","resources":{}}',
    ],
    ['writes null in a list of integers as zero', 'PodSecurityContext', { supplementalGroups: [5, null] }, '{"supplementalGroups":[5,0]}'],
    [
      'writes times in UTC with whole seconds',
      'ObjectMeta',
      { creationTimestamp: '2020-06-30T23:59:59.987-02:30', deletionTimestamp: '2020-01-01T00:00:00+08:00' },
      '{"creationTimestamp":"2020-07-01T02:29:59Z","deletionTimestamp":"2019-12-31T16:00:00Z"}',
    ],
    ['takes the zero time for none', 'ObjectMeta', { creationTimestamp: '0001-01-01T00:00:00Z' }, '{"creationTimestamp":null}'],
    ['leaves what is no time alone', 'ObjectMeta', { creationTimestamp: 'January 1, 2020' }, '{"creationTimestamp":"January 1, 2020"}'],
    [
      'keeps the text of a quantity that Kubernetes keeps',
      'ResourceRequirements',
      { limits: { cpu: '2.500', memory: '001Gi' } },
      '{"limits":{"cpu":"2.500","memory":"001Gi"}}',
    ],
    ['drops unknown members that are undefined', 'EnvVar', { name: 'A', fresh: undefined }, '{"name":"A"}'],
    ['leaves a list alone where an object should be', 'Container', ['x'], '["x"]'],
    ['makes a single quantity canonical', 'EmptyDirVolumeSource', { sizeLimit: '1024Mi' }, '{"sizeLimit":"1Gi"}'],
    ['leaves null alone', 'Container', null, 'null'],
    ['leaves a value of the wrong shape alone', 'Container', 'nonsense', '"nonsense"'],
  ])('%s', (_name, type, value, expected) => {
    expect(json(value, type)).toBe(expected);
  });

  it('writes each quantity in the one form of its value on request', () => {
    const limits = { cpu: '2.500', memory: '1024Mi', storage: 'much' };
    const canonical = { limits: { cpu: '2500m', memory: '1Gi', storage: 'much' } };
    expect(normalizeStruct({ limits }, 'ResourceRequirements', 'Canonical')).toEqual(canonical);
    expect(normalizeStruct({ sizeLimit: '01Gi' }, 'EmptyDirVolumeSource', 'Canonical')).toEqual({ sizeLimit: '1Gi' });
    const pod = { containers: [{ name: 'a', resources: { limits } }] };
    const expected = { containers: [{ name: 'a', resources: canonical }] };
    expect(normalizeStruct({ spec: pod }, 'PodTemplateSpec', 'Canonical')).toMatchObject({ spec: expected });
  });

  it('has no undefined members', () => {
    expect(normalizeStruct({ name: 'A', value: undefined, fresh: undefined }, 'EnvVar')).toStrictEqual({ name: 'A' });
  });

  it('does not write to its input', () => {
    const input = Object.freeze({ labels: Object.freeze({}), annotations: Object.freeze({ a: 'b' }) });
    normalizeStruct(input, 'ObjectMeta');
    expect(input).toEqual({ labels: {}, annotations: { a: 'b' } });
  });
});

describe('knownMembers', () => {
  it.each<[string, string, unknown, unknown]>([
    ['an object', 'EnvVar', { name: 'A', fresh: 1, value: '' }, { name: 'A', value: '' }],
    [
      'objects in an object',
      'PodTemplateSpec',
      { metadata: { a: 1 }, spec: { b: 1, dnsConfig: { c: 1 } } },
      { metadata: {}, spec: { dnsConfig: {} } },
    ],
    ['elements of a list', 'PodSpec', { containers: [{ name: 'a', bar: {} }, null] }, { containers: [{ name: 'a' }, null] }],
  ])('omits from %s what Kubernetes 1.32 does not know', (_name, type, value, expected) => {
    expect(knownMembers(value, type)).toStrictEqual(expected);
  });

  it.each<[string, string, unknown]>([
    ['maps', 'ObjectMeta', { labels: { anything: 'x' }, creationTimestamp: null }],
    ['quantities', 'ResourceRequirements', { limits: { 'example.com/x': '1' } }],
    ['a text where a list should be', 'PodSpec', { containers: 'x' }],
    ['a list where an object should be', 'Container', [{ bar: 1 }]],
    ['null', 'Container', null],
  ])('leaves %s unchanged', (_name, type, value) => {
    expect(knownMembers(value, type)).toStrictEqual(value);
  });

  it('has no undefined members', () => {
    expect(knownMembers({ name: 'A', value: undefined }, 'EnvVar')).toStrictEqual({ name: 'A' });
  });
});

describe('the table', () => {
  it('names only types that it has', () => {
    const named = [...coreTypes.values()].flatMap((members) =>
      [...members.values()].flatMap(({ shape }) => ('type' in shape ? [shape.type] : [])),
    );
    expect(named.filter((type) => !coreTypes.has(type))).toEqual([]);
    const used = new Set([...named, 'PodTemplateSpec', 'SidecarSetContainers', 'SidecarSetVersion', 'UnitedDeploymentTemplate']);
    expect([...coreTypes.keys()].filter((type) => !used.has(type))).toEqual([]);
  });
});

describe('declaredJson', () => {
  it('writes unknown members after the others, sorted by name, only when they are kept', () => {
    const value = { zeta: { b: 1, a: 2 }, value: 'v', name: 'e', alpha: [], gone: undefined };
    expect(declaredJson(value, 'EnvVar', 'Kept')).toBe('{"name":"e","value":"v","alpha":[],"zeta":{"a":2,"b":1}}');
    expect(declaredJson(value, 'EnvVar', 'LeftOut')).toBe('{"name":"e","value":"v"}');
    expect(declaredJson({ containers: [{ name: 'a', fresh: 1 }] }, 'PodSpec', 'Kept')).toBe('{"containers":[{"name":"a","fresh":1}]}');
  });

  it('writes a value of another shape than in the table unchanged', () => {
    expect(declaredJson({ containers: 'x' }, 'PodSpec')).toBe('{"containers":"x"}');
    expect(declaredJson('x', 'PodSpec')).toBe('"x"');
    expect(declaredJson({}, 'EnvVar')).toBe('{}');
    expect(declaredJson({ env: [{ name: 'a' }, { name: 'b' }] }, 'Container')).toBe('{"env":[{"name":"a"},{"name":"b"}]}');
  });

  it('writes members of members in declared order', () => {
    const securityContext = { allowPrivilegeEscalation: true, privileged: true };
    expect(declaredJson({ name: 'n', securityContext }, 'Container')).toBe(
      '{"name":"n","securityContext":{"privileged":true,"allowPrivilegeEscalation":true}}',
    );
  });

  it('writes members in declared order and maps sorted', () => {
    const container = {
      resources: { requests: { memory: '1', cpu: '1' }, limits: { cpu: '1' } },
      image: 'i',
      name: 'n',
      env: [{ value: 'v', name: 'e' }],
    };
    expect(declaredJson(normalizeStruct(container, 'Container'), 'Container')).toBe(
      '{"name":"n","image":"i","env":[{"name":"e","value":"v"}],"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1","memory":"1"}}}',
    );
  });
});
