import { describe, expect, it } from '@jest/globals';
import { revisionWith, template } from '../testdata/build.ts';
import { cloneSetRevisions } from '../revision/revision-adapter.ts';
import { type InPlaceOptions, planInPlaceUpdate } from './plan-in-place-update.ts';
import { qosClassOf } from './qos-class.ts';

const gates = { InPlaceUpdateEnvFromMetadata: true, InPlaceWorkloadVerticalScaling: false, RecreatePodWhenChangeVCTInCloneSetGate: false };
const options: InPlaceOptions = { gates, adapter: cloneSetRevisions(true), ignoreClaimTemplates: false, graceSeconds: 0 };
const scaling: InPlaceOptions = { ...options, gates: { ...gates, InPlaceWorkloadVerticalScaling: true } };

const fed = [
  { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['x']" } } },
  { name: 'SIDECARSET_VERSION', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['v']" } } },
];
const annotationEnv = (key: string) => ({ name: key, valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${key}']` } } });
interface Given {
  readonly image?: string;
  readonly more?: object;
  readonly spec?: object;
  readonly meta?: object;
  readonly top?: object;
}
const given = ({ image = 'a:1', more = {}, spec = {}, meta = {}, top = {} }: Given) => ({
  ...template(
    {
      containers: [
        { name: 'a', image, ...more },
        { name: 'b', image: 'b:1', env: fed },
      ],
      ...spec,
    },
    meta,
  ),
  ...top,
});
const decide = (before: Given, after: Given, by = options) =>
  planInPlaceUpdate(revisionWith(given(before)), revisionWith(given(after), 2), by);
const cpu = (limit: string, request: string, more: object = {}) => ({
  resources: { limits: { cpu: limit, ...more }, requests: { cpu: request } },
});

describe('planInPlaceUpdate refuses', () => {
  it.each<[string, Given, Given, string]>([
    ['env', {}, { more: { env: [{ name: 'A', value: 'b' }] } }, 'spec.containers[0].env differs'],
    ['a removed image', {}, { image: '' }, 'spec.containers[0].image differs'],
    [
      'the name of a container',
      {},
      {
        spec: {
          containers: [
            { name: 'c', image: 'a:1' },
            { name: 'b', image: 'b:1', env: fed },
          ],
        },
      },
      'spec.containers[0].name differs',
    ],
    [
      'one more container',
      {},
      { spec: { containers: [{ name: 'a', image: 'a:1' }, { name: 'b', image: 'b:1', env: fed }, { name: 'c' }] } },
      'spec.containers[2] differs',
    ],
    ['one container less', {}, { spec: { containers: [{ name: 'a', image: 'a:1' }] } }, 'spec.containers[1] differs'],
    [
      'an init image',
      { spec: { initContainers: [{ name: 'i', image: 'i:1' }] } },
      { spec: { initContainers: [{ name: 'i', image: 'i:2' }] } },
      'spec.initContainers[0].image differs',
    ],
    ['an added image', { image: '' }, {}, 'spec.containers[0].image differs'],
    ['an argument', { more: { args: ['x'] } }, { more: { args: ['y'] } }, 'spec.containers[0].args[0] differs'],
    ['containers that are gone', {}, { spec: { containers: [] } }, 'spec.containers[0] differs'],
    ['a member of the template that nobody knows', {}, { top: { fresh: '1' } }, 'fresh differs'],
    ['a node selector', {}, { spec: { nodeSelector: { a: 'b' } } }, 'spec.nodeSelector differs'],
    ['resources with the gate off', { more: cpu('2', '1') }, { more: cpu('3', '1') }, 'spec.containers[0].resources.limits.cpu differs'],
  ])('a change of %s', (_name, before, after, why) => {
    expect(decide(before, after)).toEqual({ kind: 'Recreate', why });
  });

  it.each<[string, Given, Given, string]>([
    [
      'an added resource',
      { more: cpu('2', '1') },
      { more: cpu('2', '1', { memory: '1Gi' }) },
      'spec.containers[0].resources.limits.memory differs',
    ],
    [
      'another resource',
      { more: cpu('2', '1', { gpu: '1' }) },
      { more: cpu('2', '1', { gpu: '2' }) },
      'spec.containers[0].resources.limits.gpu differs',
    ],
    [
      'a removed resource',
      { more: cpu('2', '1', { memory: '1Gi' }) },
      { more: cpu('2', '1') },
      'spec.containers[0].resources.limits.memory differs',
    ],
    ['all resources at once', {}, { more: cpu('2', '1') }, 'spec.containers[0].resources.limits differs'],
    [
      'claims',
      { more: { resources: { claims: [{ name: 'x' }] } } },
      { more: { resources: { claims: [{ name: 'y' }] } } },
      'spec.containers[0].resources.claims[0].name differs',
    ],
    ['what is no quantity', { more: cpu('1', '1') }, { more: cpu('much', '1') }, 'spec.containers[0].resources.limits.cpu differs'],
    [
      'cpu in another list of resources',
      { more: { resources: { fresh: { cpu: '1' } } } },
      { more: { resources: { fresh: { cpu: '2' } } } },
      'spec.containers[0].resources.fresh.cpu differs',
    ],
    [
      'something below an amount of cpu',
      { more: { resources: { limits: { cpu: { fresh: '1' } } } } },
      { more: { resources: { limits: { cpu: { fresh: '2' } } } } },
      'spec.containers[0].resources.limits.cpu.fresh differs',
    ],
    ['what was no quantity', { more: cpu('much', '1') }, { more: cpu('1', '1') }, 'spec.containers[0].resources.limits.cpu differs'],
    [
      'something like resources elsewhere in a container',
      { more: { fresh: { limits: { cpu: '1' } } } },
      { more: { fresh: { limits: { cpu: '2' } } } },
      'spec.containers[0].fresh.limits.cpu differs',
    ],
    [
      'something like containers elsewhere in a template',
      { top: { fresh: { containers: [{ image: 'x' }] } } },
      { top: { fresh: { containers: [{ image: 'y' }] } } },
      'fresh.containers[0].image differs',
    ],
    ['an image beside something else', {}, { image: 'a:2', spec: { nodeSelector: { a: 'b' } } }, 'spec.nodeSelector differs'],
  ])('vertical scaling to %s', (_name, before, after, why) => {
    expect(decide(before, after, scaling)).toEqual({ kind: 'Recreate', why });
  });

  it('a change from Burstable to Guaranteed', () => {
    const only = (limit: string) =>
      template({
        containers: [
          { name: 'a', image: 'a', resources: { limits: { cpu: limit, memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } } },
        ],
      });
    expect(planInPlaceUpdate(revisionWith(only('2')), revisionWith(only('1'), 2), scaling)).toEqual({
      kind: 'Recreate',
      why: 'the QoS class would change from Burstable to Guaranteed',
    });
  });

  it('an update without the old revision', () => {
    expect(planInPlaceUpdate(undefined, revisionWith(template()), options)).toEqual({
      kind: 'Recreate',
      why: "the Pod's revision is not in the history",
    });
  });

  it('a revision without a template', () => {
    const [held, { data: _data, ...empty }] = [revisionWith(template()), revisionWith(template())];
    const no = { kind: 'Recreate', why: 'a revision holds no pod template' };
    expect([planInPlaceUpdate(held, empty, options), planInPlaceUpdate(empty, held, options)]).toEqual([no, no]);
  });

  it('changed claim templates when the gate is on and they are not ignored', () => {
    const hashed = (hash: string) => revisionWith(template(), 1, { 'kruise.io/cloneset-volumeclaimtemplate-hash': hash });
    const on = { ...options, gates: { ...gates, RecreatePodWhenChangeVCTInCloneSetGate: true } };
    expect(planInPlaceUpdate(hashed('1'), hashed('2'), on)).toEqual({ kind: 'Recreate', why: 'the volumeClaimTemplates differ' });
    expect(planInPlaceUpdate(hashed('1'), hashed('2'), { ...on, ignoreClaimTemplates: true }).kind).toBe('InPlace');
    expect(planInPlaceUpdate(hashed('1'), hashed('2'), options).kind).toBe('InPlace');
  });
});

describe('planInPlaceUpdate accepts', () => {
  const specFor = (before: Given, after: Given, by = options) => {
    const decision = decide(before, after, by);
    if (decision.kind === 'Recreate') throw new Error(decision.why);
    const { revision, ...spec } = decision.spec;
    expect(revision).toBe(revisionWith(given(after), 2).metadata.name);
    return spec;
  };

  it.each<[string, Given, Given, object]>([
    ['an image', {}, { image: 'a:2' }, { containerImages: { a: 'a:2' } }],
    ['nothing at all', {}, {}, {}],
    [
      'metadata alone',
      { meta: { labels: { p: '1', q: '1' } } },
      { meta: { labels: { p: '2' }, annotations: { n: '' } } },
      { metaDataPatch: { metadata: { labels: { p: '2', q: null }, annotations: { n: '' } } } },
    ],
    [
      'a label that feeds an environment',
      { meta: { labels: { x: '1' } } },
      { meta: { labels: { x: '2' } } },
      { containerRefMetadata: { b: { labels: { x: '2' } } }, updateEnvFromMetadata: true },
    ],
    [
      'an added label that feeds one, in a map that is new as a whole',
      {},
      { meta: { labels: { x: '2', y: '3' } } },
      {
        containerRefMetadata: { b: { labels: { x: '2' } } },
        updateEnvFromMetadata: true,
        metaDataPatch: { metadata: { labels: { y: '3' } } },
      },
    ],
    ['a removed label that feeds one', { meta: { labels: { x: '1' } } }, {}, { metaDataPatch: { metadata: { labels: { x: null } } } }],
    [
      'an annotation that feeds only an ignored variable',
      {},
      { meta: { annotations: { v: '2' } } },
      { metaDataPatch: { metadata: { annotations: { v: '2' } } } },
    ],
    [
      'finalizers, as a set',
      { meta: { finalizers: ['a', 'b'] } },
      { meta: { finalizers: ['b', 'c'] } },
      { metaDataPatch: { metadata: { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'] } } },
    ],
    [
      'a label that feeds one, beside one that stays and one that does not',
      { meta: { labels: { x: '1', y: '1', z: '1' } } },
      { meta: { labels: { x: '2', y: '1', z: '2' } } },
      {
        containerRefMetadata: { b: { labels: { x: '2' } } },
        updateEnvFromMetadata: true,
        metaDataPatch: { metadata: { labels: { z: '2' } } },
      },
    ],
    [
      'a label and annotations that feed several containers',
      { more: { env: [annotationEnv('n'), annotationEnv('m')] }, meta: { labels: { x: '1' }, annotations: { n: '1', m: '1' } } },
      { more: { env: [annotationEnv('n'), annotationEnv('m')] }, meta: { labels: { x: '2' }, annotations: { n: '2', m: '2' } } },
      {
        containerRefMetadata: { a: { annotations: { n: '2', m: '2' } }, b: { labels: { x: '2' } } },
        updateEnvFromMetadata: true,
      },
    ],
    [
      'an annotation of the name of a label that feeds one',
      { meta: { annotations: { x: '1' } } },
      { meta: { annotations: { x: '2' } } },
      { metaDataPatch: { metadata: { annotations: { x: '2' } } } },
    ],
    [
      'a label that feeds a variable with a value of its own',
      { more: { env: [{ ...annotationEnv('n'), value: 'own' }] }, meta: { annotations: { n: '1' } } },
      { more: { env: [{ ...annotationEnv('n'), value: 'own' }] }, meta: { annotations: { n: '2' } } },
      { metaDataPatch: { metadata: { annotations: { n: '2' } } } },
    ],
    ['another form of the same quantity', { more: cpu('1', '1') }, { more: cpu('1000m', '1') }, {}],
  ])('%s', (_name, before, after, spec) => {
    expect(specFor(before, after)).toEqual(spec);
  });

  it('an environment label as plain metadata when the gate is off', () => {
    const off = { ...options, gates: { ...gates, InPlaceUpdateEnvFromMetadata: false } };
    expect(specFor({}, { meta: { labels: { x: '2' } } }, off)).toEqual({ metaDataPatch: { metadata: { labels: { x: '2' } } } });
  });

  it('every amount of cpu and memory that changed, of every container, without a grace period of 0 seconds', () => {
    const sized = (limits: object, requests: object) => ({ resources: { limits, requests } });
    const of = (first: object, second: object) =>
      template({
        containers: [
          { name: 'a', image: 'a', ...first },
          { name: 'b', image: 'b', ...second },
        ],
      });
    const before = of(sized({ cpu: '2', memory: '2Gi' }, { cpu: '1', memory: '1Gi' }), sized({ cpu: '2' }, { memory: '1Gi' }));
    const after = of(sized({ cpu: '3', memory: '3Gi' }, { cpu: '1', memory: '2Gi' }), sized({ cpu: '2' }, { memory: '2Gi' }));
    const target = revisionWith(after, 2);
    expect(planInPlaceUpdate(revisionWith(before), target, scaling)).toEqual({
      kind: 'InPlace',
      spec: {
        revision: target.metadata.name,
        containerResources: {
          a: { limits: { cpu: '3', memory: '3Gi' }, requests: { memory: '2Gi' } },
          b: { requests: { memory: '2Gi' } },
        },
      },
    });
  });

  it('an image in a template whose QoS class changes by no amount', () => {
    expect(specFor({ more: cpu('2', '1') }, { more: cpu('2', '1'), image: 'a:2' }, scaling)).toEqual({ containerImages: { a: 'a:2' } });
  });

  it('cpu and memory with vertical scaling', () => {
    expect(specFor({ more: cpu('2', '1') }, { more: cpu('3000m', '0.5'), image: 'a:2' }, { ...scaling, graceSeconds: 5 })).toEqual({
      containerImages: { a: 'a:2' },
      containerResources: { a: { limits: { cpu: '3' }, requests: { cpu: '500m' } } },
      graceSeconds: 5,
    });
  });
});

describe('qosClassOf', () => {
  const of = (...resources: object[]) =>
    qosClassOf({ containers: resources.map((held, i) => ({ name: `c${String(i)}`, resources: held })) });
  const full = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } };

  it.each<[string, string, object[]]>([
    ['no resources', 'BestEffort', [{}]],
    ['zero requests', 'BestEffort', [{ requests: { cpu: '0' } }]],
    ['other resources only', 'BestEffort', [{ limits: { gpu: '1' } }]],
    ['equal limits and requests', 'Guaranteed', [full]],
    ['one container without', 'Burstable', [full, {}]],
    ['a larger limit', 'Burstable', [{ ...full, limits: { cpu: '2', memory: '1Gi' } }]],
    ['limits without requests', 'Burstable', [{ limits: { cpu: '1', memory: '1' } }]],
    ['a limit without a request for one of two', 'Burstable', [{ ...full, requests: { cpu: '1' } }]],
    ['no limit of memory', 'Burstable', [{ limits: { cpu: '1' }, requests: { cpu: '1' } }]],
    ['a limit of zero', 'Burstable', [{ limits: { cpu: '1', memory: '0' }, requests: { cpu: '1' } }]],
    ['no limit of cpu', 'Burstable', [{ limits: { memory: '1' }, requests: { memory: '1' } }]],
    ['requests alone', 'Burstable', [{ requests: { memory: '1Gi' } }]],
    ['all containers with equal limits and requests', 'Guaranteed', [full, full]],
    [
      'equal in sum, though no container is for itself',
      'Guaranteed',
      [
        { limits: { cpu: '1', memory: '1' }, requests: { cpu: '2', memory: '1' } },
        { limits: { cpu: '2', memory: '1' }, requests: { cpu: '1', memory: '1' } },
      ],
    ],
    ['more asked for than allowed', 'Burstable', [{ ...full, requests: { cpu: '2', memory: '1Gi' } }]],
  ])('%s: %s', (_name, expected, resources) => {
    expect(of(...resources)).toBe(expected);
  });

  it('counts init containers', () => {
    const [asked, none] = [{ name: 'i', resources: full }, { name: 'i' }];
    const main = [{ name: 'c', resources: full }];
    expect([
      qosClassOf({ containers: main, initContainers: [asked] }),
      qosClassOf({ containers: main, initContainers: [none] }),
      qosClassOf({ containers: [none], initContainers: [asked] }),
    ]).toEqual(['Guaranteed', 'Burstable', 'Burstable']);
  });

  it('of no spec is that of an empty one', () => {
    expect(qosClassOf(undefined)).toBe('BestEffort');
  });
});
