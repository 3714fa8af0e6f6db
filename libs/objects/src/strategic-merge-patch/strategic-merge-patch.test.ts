import { describe, expect, it } from '@jest/globals';
import { deepFreeze } from '../json/copy.ts';
import type { JsonObject } from '../json/own-member.ts';
import { applyStrategicMergePatch } from './apply.ts';
import { objectMetaPatchSchema, patchSchemaOf, podPatchSchema } from './builtin-schemas.ts';
import { createStrategicMergePatch, isEmptyPatch } from './create.ts';

const service = patchSchemaOf('', 'Service');
const deployment = patchSchemaOf('apps', 'Deployment');

const containers = (...list: JsonObject[]): JsonObject => ({ spec: { containers: list } });
const apply = (original: JsonObject, patch: JsonObject, schema = podPatchSchema): unknown => {
  const result = applyStrategicMergePatch(deepFreeze(original), deepFreeze(patch), schema);
  return result.kind === 'Patched' ? result.value : result.why;
};

describe('createStrategicMergePatch', () => {
  it.each<{ name: string; before: JsonObject; after: JsonObject; patch: JsonObject; schema?: typeof service }>([
    { name: 'nothing for equals', before: containers({ name: 'a' }), after: containers({ name: 'a' }), patch: {} },
    {
      name: 'the changed member of the changed container, with the order of all',
      before: containers({ name: 'a', image: 'a:1' }, { name: 'b', image: 'b:1' }),
      after: containers({ name: 'a', image: 'a:1' }, { name: 'b', image: 'b:2' }),
      patch: { spec: { containers: [{ name: 'b', image: 'b:2' }], '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }] } },
    },
    {
      name: 'a deletion by directive',
      before: containers({ name: 'a' }, { name: 'b' }),
      after: containers({ name: 'b' }),
      patch: { spec: { containers: [{ $patch: 'delete', name: 'a' }], '$setElementOrder/containers': [{ name: 'b' }] } },
    },
    {
      name: 'an order alone',
      before: containers({ name: 'a' }, { name: 'b' }),
      after: containers({ name: 'b' }, { name: 'a' }),
      patch: { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
    },
    {
      name: 'an order alone when only some changed places',
      before: containers({ name: 'a' }, { name: 'b' }, { name: 'c' }),
      after: containers({ name: 'a' }, { name: 'c' }, { name: 'b' }),
      patch: { spec: { '$setElementOrder/containers': [{ name: 'a' }, { name: 'c' }, { name: 'b' }] } },
    },
    {
      name: 'no order when a list is emptied',
      before: { metadata: { finalizers: ['a'], ownerReferences: [{ uid: 'u' }] } },
      after: { metadata: { finalizers: [], ownerReferences: [] } },
      patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], ownerReferences: [{ $patch: 'delete', uid: 'u' }] } },
    },
    {
      name: 'no directive when a list was empty',
      before: { metadata: { finalizers: [] }, spec: { volumes: [] } },
      after: { metadata: { finalizers: ['a'] }, spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      patch: { metadata: { finalizers: ['a'] }, spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    },
    {
      name: 'removed keys of metadata as null',
      before: { metadata: { labels: { a: '1', b: '2' }, annotations: { x: 'y' } } },
      after: { metadata: { labels: { a: '1', c: '3' } } },
      patch: { metadata: { labels: { b: null, c: '3' }, annotations: null } },
    },
    {
      name: 'finalizers as a set',
      before: { metadata: { finalizers: ['a', 'b'] } },
      after: { metadata: { finalizers: ['b', 'c'] } },
      patch: { metadata: { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'], '$setElementOrder/finalizers': ['b', 'c'] } },
    },
    {
      name: 'removed finalizers in order, and no others',
      before: { metadata: { finalizers: ['b', 'c', 'a'] } },
      after: { metadata: { finalizers: ['c'] } },
      patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'b'], '$setElementOrder/finalizers': ['c'] } },
    },
    {
      name: 'nothing for an unchanged volume',
      before: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      after: {
        spec: {
          volumes: [
            { name: 'v', emptyDir: {} },
            { name: 'w', emptyDir: {} },
          ],
        },
      },
      patch: { spec: { volumes: [{ name: 'w', emptyDir: {} }], '$setElementOrder/volumes': [{ name: 'v' }, { name: 'w' }] } },
    },
    {
      name: 'the members that a volume keeps',
      before: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      after: { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] } },
      patch: {
        spec: {
          volumes: [{ name: 'v', emptyDir: null, hostPath: { path: '/x' }, $retainKeys: ['hostPath', 'name'] }],
          '$setElementOrder/volumes': [{ name: 'v' }],
        },
      },
    },
    {
      name: 'tolerations whole',
      before: { spec: { tolerations: [{ key: 'a' }] } },
      after: { spec: { tolerations: [{ key: 'a' }, { key: 'b' }] } },
      patch: { spec: { tolerations: [{ key: 'a' }, { key: 'b' }] } },
    },
    {
      name: 'a list whole when its merge key is not unique',
      schema: service,
      before: { spec: { ports: [{ port: 53, protocol: 'UDP' }] } },
      after: {
        spec: {
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
      },
      patch: { spec: { ports: [{ $patch: 'replace' }, { port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }] } },
    },
    {
      name: 'a list whole that must have an element twice, where an empty one was',
      schema: service,
      before: { spec: { ports: [] } },
      after: { spec: { ports: [{ port: 53, protocol: 'UDP' }, { port: 53 }] } },
      patch: { spec: { ports: [{ $patch: 'replace' }, { port: 53, protocol: 'UDP' }, { port: 53 }] } },
    },
    {
      name: 'the members that a union keeps',
      schema: deployment,
      before: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      after: { spec: { strategy: { type: 'Recreate' } } },
      patch: { spec: { strategy: { type: 'Recreate', rollingUpdate: null, $retainKeys: ['type'] } } },
    },
    {
      name: 'deletions alone when a union keeps nothing',
      schema: deployment,
      before: { spec: { strategy: { type: 'Recreate' } } },
      after: { spec: { strategy: {} } },
      patch: { spec: { strategy: { type: null } } },
    },
  ])('creates $name', ({ before, after, patch, schema }) => {
    expect(createStrategicMergePatch(before, after, schema ?? podPatchSchema)).toEqual(patch);
    expect(apply(before, patch, schema)).toEqual(after);
  });

  it.each([
    ['absent', {}],
    ['null', { name: null }],
    ['an object', { name: { a: 1 } }],
  ])('creates a list whole when a merge key is %s', (_name, element) => {
    expect(createStrategicMergePatch(containers({ name: 'a' }), containers({ name: 'a' }, element), podPatchSchema)).toEqual(
      containers({ $patch: 'replace' }, { name: 'a' }, element),
    );
  });
});

describe('applyStrategicMergePatch', () => {
  it.each<{ name: string; original: JsonObject; patch: JsonObject; result: JsonObject }>([
    {
      name: 'merges containers by name and appends new ones after those of the live list',
      original: containers({ name: 'a', image: 'a:1' }, { name: 'sidecar', image: 's:1' }),
      patch: containers({ name: 'b', image: 'b:1' }, { name: 'a', image: 'a:2' }),
      result: containers({ name: 'b', image: 'b:1' }, { name: 'a', image: 'a:2' }, { name: 'sidecar', image: 's:1' }),
    },
    {
      name: 'keeps the place of live-only containers under an order',
      original: containers({ name: 'a' }, { name: 'sidecar' }, { name: 'b' }),
      patch: { spec: { '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }], containers: [{ name: 'b', image: 'b:2' }] } },
      result: containers({ name: 'a' }, { name: 'sidecar' }, { name: 'b', image: 'b:2' }),
    },
    {
      name: 'replaces an object by directive',
      original: { metadata: { labels: { a: '1' } } },
      patch: { metadata: { labels: { $patch: 'replace', b: '2' } } },
      result: { metadata: { labels: { b: '2' } } },
    },
    {
      name: 'empties an object by directive',
      original: { metadata: { labels: { a: '1' } } },
      patch: { metadata: { labels: { $patch: 'delete' } } },
      result: { metadata: { labels: {} } },
    },
    {
      name: 'empties a list by directive',
      original: containers({ name: 'a' }),
      patch: containers({ $patch: 'replace' }),
      result: containers(),
    },
    {
      name: 'groups elements of one key when a list is replaced',
      original: containers({ name: 'a', ports: [{ containerPort: 1 }] }),
      patch: containers({
        name: 'a',
        ports: [
          { $patch: 'replace' },
          { containerPort: 53, protocol: 'TCP' },
          { containerPort: 80 },
          { containerPort: 53, protocol: 'UDP' },
        ],
      }),
      result: containers({
        name: 'a',
        ports: [{ containerPort: 53, protocol: 'TCP' }, { containerPort: 53, protocol: 'UDP' }, { containerPort: 80 }],
      }),
    },
    {
      name: 'leaves no directive where there was nothing',
      original: {},
      patch: { spec: { containers: [{ name: 'a', env: [{ $patch: 'delete', name: 'X' }] }], $retainKeys: ['containers'], x: null } },
      result: { spec: { containers: [{ name: 'a', env: [] }] } },
    },
    {
      name: 'leaves nothing of a directive where there was nothing',
      original: { metadata: { name: 'p', annotations: null } },
      patch: {
        metadata: { labels: { $patch: 'replace', a: '1' }, annotations: { $patch: 'delete' } },
        spec: { affinity: { $patch: 'replace', x: 1 }, hostname: 'h' },
      },
      result: { metadata: { name: 'p' }, spec: { hostname: 'h' } },
    },
    {
      name: 'keeps the elements beside a directive where there was no list',
      original: { spec: { initContainers: [] } },
      patch: {
        spec: {
          initContainers: [{ $patch: 'replace' }, { name: 'a' }, { $patch: 'replace', name: 'b' }],
          containers: [{ $patch: 'replace' }, { name: 'a' }, { $patch: 'replace', name: 'b' }],
        },
      },
      result: { spec: { initContainers: [{ name: 'a' }], containers: [{ name: 'a' }] } },
    },
    {
      name: 'treats a null as nothing',
      original: { metadata: { labels: null } },
      patch: { metadata: { labels: { a: '1', b: null } } },
      result: { metadata: { labels: { a: '1' } } },
    },
    {
      name: 'merges into the first of the elements with one key',
      original: containers({
        name: 'a',
        ports: [
          { containerPort: 53, protocol: 'TCP' },
          { containerPort: 53, protocol: 'UDP' },
        ],
      }),
      patch: containers({ name: 'a', ports: [{ containerPort: 53, hostPort: 1 }] }),
      result: containers({
        name: 'a',
        ports: [
          { containerPort: 53, protocol: 'TCP', hostPort: 1 },
          { containerPort: 53, protocol: 'UDP' },
        ],
      }),
    },
    {
      name: 'merges elements of the patch with one key',
      original: containers({ name: 'a' }),
      patch: containers({ name: 'b', image: 'b:1' }, { name: 'c' }, { name: 'b', command: ['x'] }),
      result: containers({ name: 'b', image: 'b:1', command: ['x'] }, { name: 'c' }, { name: 'a' }),
    },
    {
      name: 'replaces a list that does not merge, whatever order is given',
      original: containers({ name: 'a', args: ['x', 'y'] }),
      patch: containers({ name: 'a', args: ['z'], '$setElementOrder/args': ['z'] }),
      result: containers({ name: 'a', args: ['z'] }),
    },
    {
      name: 'orders a list that does not merge by an order alone',
      original: containers({ name: 'a', args: ['x', 'y'] }),
      patch: containers({ name: 'a', '$setElementOrder/args': ['y', 'x'] }),
      result: containers({ name: 'a', args: ['y', 'x'] }),
    },
    {
      name: 'places a new element where a deleted one was',
      original: containers({ name: 'a' }, { name: 'b' }, { name: 'sidecar' }),
      patch: {
        spec: {
          containers: [{ name: 'd' }, { name: 'c' }, { $patch: 'delete', name: 'b' }],
          '$setElementOrder/containers': [{ name: 'a' }, { name: 'd' }, { name: 'c' }],
        },
      },
      result: containers({ name: 'a' }, { name: 'sidecar' }, { name: 'd' }, { name: 'c' }),
    },
    {
      name: 'keeps a list with one key twice unchanged where there is none, and joins the elements where there is an empty one',
      original: { spec: { hostAliases: [] } },
      patch: {
        spec: {
          hostAliases: [
            { ip: '1', hostnames: ['a'] },
            { ip: '1', hostnames: ['b'] },
          ],
          volumes: [{ $patch: 'delete' }, { name: 'v' }, { name: 'v' }],
          '$setElementOrder/volumes': [{ name: 'v' }, { name: 'v' }],
        },
      },
      result: { spec: { hostAliases: [{ ip: '1', hostnames: ['b'] }], volumes: [{ name: 'v' }, { name: 'v' }] } },
    },
    {
      name: 'ignores an empty order',
      original: containers({ name: 'a' }),
      patch: { spec: { containers: [{ name: 'a', image: 'a:2' }], '$setElementOrder/containers': [] } },
      result: containers({ name: 'a', image: 'a:2' }),
    },
    {
      name: 'removes a scalar for which there is only a directive',
      original: { spec: { hostname: 'h' } },
      patch: { spec: { hostname: { $patch: 'replace' } } },
      result: { spec: {} },
    },
    {
      name: 'ignores deletions of missing elements',
      original: { metadata: { name: 'p' } },
      patch: { metadata: { labels: null, '$deleteFromPrimitiveList/finalizers': ['x'] }, spec: null },
      result: { metadata: { name: 'p' } },
    },
    {
      name: 'deletes environment variables by name',
      original: containers({
        name: 'a',
        env: [
          { name: 'X', value: '1' },
          { name: 'Y', value: '2' },
        ],
      }),
      patch: containers({ name: 'a', env: [{ $patch: 'delete', name: 'X' }] }),
      result: containers({ name: 'a', env: [{ name: 'Y', value: '2' }] }),
    },
    {
      name: 'merges conditions by type',
      original: { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      patch: { status: { conditions: [{ type: 'KruisePodReady', status: 'True' }] } },
      result: {
        status: {
          conditions: [
            { type: 'KruisePodReady', status: 'True' },
            { type: 'Ready', status: 'False' },
          ],
        },
      },
    },
  ])('$name', ({ original, patch, result }) => {
    expect(apply(original, patch)).toEqual(result);
  });

  it.each<[string, JsonObject]>([
    ['an element without its merge key', containers({ image: 'x' })],
    ['an unknown directive', { spec: { $patch: 'remove' } }],
    ['an unknown directive in a list', containers({ $patch: 'merge', name: 'a' })],
    ['an order that does not list an element', { spec: { containers: [{ name: 'x' }], '$setElementOrder/containers': [{ name: 'a' }] } }],
    [
      'an order in which the elements do not stand',
      { spec: { containers: [{ name: 'b' }, { name: 'a' }], '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }] } },
    ],
    [
      'an order that names an element once which comes twice',
      { spec: { containers: [{ name: 'a' }, { name: 'a' }], '$setElementOrder/containers': [{ name: 'a' }] } },
    ],
    [
      'a replacement behind the elements of an order',
      { spec: { containers: [{ name: 'a' }, { $patch: 'replace' }], '$setElementOrder/containers': [{ name: 'a' }] } },
    ],
    ['an unknown directive beside a replacement', containers({ $patch: 'replace' }, { $patch: 'merge', name: 'a' })],
    ['kept keys that do not list a member', { spec: { $retainKeys: ['containers'], hostname: 'h' } }],
    ['an order that is no list', { spec: { '$setElementOrder/containers': 'a' } }],
    ['a scalar where objects merge', { spec: { containers: ['a'] } }],
  ])('refuses %s', (_name, patch) => {
    expect(applyStrategicMergePatch(containers({ name: 'a', image: 'a:1' }), patch, podPatchSchema).kind).toBe('Refused');
  });

  it('keeps __proto__ a member', () => {
    const patch = JSON.parse('{"metadata":{"__proto__":{"polluted":true}}}') as JsonObject;
    const result = applyStrategicMergePatch({ metadata: { name: 'p' } }, patch, podPatchSchema);
    expect(result.kind === 'Patched' && JSON.stringify(result.value)).toBe('{"metadata":{"name":"p","__proto__":{"polluted":true}}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('uses the merge keys of metadata for any kind', () => {
    expect(patchSchemaOf('', 'ConfigMap').members['metadata']?.schema).toBe(objectMetaPatchSchema);
  });
});

describe('a patch of a Pod', () => {
  const live = { metadata: { name: 'p', finalizers: ['a'] }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };

  it.each<[string, JsonObject]>([
    ['an element has no name, by which the list merges', containers({ image: 'x' })],
    ['an element has no name, by which the list merges', containers({ name: null })],
    ['an element has no name, by which the list merges', containers({ $patch: 'delete' })],
    ['unknown $patch "remove"', { spec: { $patch: 'remove' } }],
    ['unknown $patch "merge" in a list', containers({ $patch: 'merge', name: 'a' })],
    [
      '$setElementOrder/containers does not list the elements of the patch in their order',
      { spec: { containers: [{ name: 'x' }], '$setElementOrder/containers': [{ name: 'a' }] } },
    ],
    ['$retainKeys does not list hostname', { spec: { $retainKeys: ['containers'], hostname: 'h' } }],
    ['$retainKeys must be a list', { spec: { $retainKeys: 'containers' } }],
    ['$setElementOrder/containers must be a list', { spec: { '$setElementOrder/containers': 'a' } }],
    ['containers must be a list', { spec: { containers: 'x', '$setElementOrder/containers': [] } }],
    ['containers must be a list', { spec: { containers: null, '$setElementOrder/containers': [{ name: 'a' }] } }],
    ['name must be a list', { metadata: { '$setElementOrder/name': [] } }],
    ['$deleteFromPrimitiveList/finalizers must be a list', { metadata: { '$deleteFromPrimitiveList/finalizers': 'a' } }],
  ])('is refused because %s', (why, patch) => {
    expect(applyStrategicMergePatch(live, patch, podPatchSchema)).toEqual({ kind: 'Refused', why });
  });

  it.each<[string, JsonObject, unknown]>([
    ['makes no list by an order alone', { spec: { '$setElementOrder/volumes': [{ name: 'v' }] } }, live],
    [
      'deletes scalars, those that are not there too',
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'b'] } },
      { ...live, metadata: { name: 'p', finalizers: [] } },
    ],
    ['deletes nothing by a merge key that is null', containers({ $patch: 'delete', name: null }), live],
    ['adds each scalar once', { metadata: { finalizers: ['b', 'a'] } }, { ...live, metadata: { name: 'p', finalizers: ['b', 'a'] } }],
    ['drives out what it does not keep', { spec: { $retainKeys: ['hostname'], hostname: 'h' } }, { ...live, spec: { hostname: 'h' } }],
    [
      'need not keep a member that it deletes',
      { spec: { $retainKeys: ['hostname'], containers: null, hostname: 'h' } },
      { ...live, spec: { hostname: 'h' } },
    ],
    ['puts a list in the place of a scalar', { metadata: { name: ['x'] } }, { ...live, metadata: { ...live.metadata, name: ['x'] } }],
    [
      'puts an object in the place of a scalar',
      { metadata: { name: { x: 1 } } },
      { ...live, metadata: { ...live.metadata, name: { x: 1 } } },
    ],
    ['puts a list in the place of an object', { metadata: ['x'] }, { ...live, metadata: ['x'] }],
    ['puts a scalar in the place of a list', { spec: { containers: 'x' } }, { ...live, spec: { containers: 'x' } }],
  ])('%s', (_name, patch, value) => {
    expect(applyStrategicMergePatch(deepFreeze(live), deepFreeze(patch), podPatchSchema)).toEqual({ kind: 'Patched', value });
  });
});

describe('an object that is replaced whole', () => {
  const budget = patchSchemaOf('policy', 'PodDisruptionBudget');
  const [before, after] = [{ spec: { selector: { matchLabels: { a: '1' } } } }, { spec: { selector: { matchLabels: { b: '2' } } } }];

  it('is so in the patch and by it', () => {
    expect(createStrategicMergePatch(before, after, budget)).toEqual(after);
    expect(apply(before, after, budget)).toEqual(after);
  });
});

describe('members that are undefined', () => {
  it('are absent ones', () => {
    const volumes = (volume: JsonObject): JsonObject => ({ spec: { volumes: [{ name: 'v', ...volume }] } });
    expect(createStrategicMergePatch({ a: undefined }, { b: undefined }, podPatchSchema)).toStrictEqual({});
    expect(
      createStrategicMergePatch(volumes({ emptyDir: {} }), volumes({ emptyDir: undefined, hostPath: { path: '/x' } }), podPatchSchema),
    ).toStrictEqual({
      spec: {
        volumes: [{ name: 'v', emptyDir: null, hostPath: { path: '/x' }, $retainKeys: ['hostPath', 'name'] }],
        '$setElementOrder/volumes': [{ name: 'v' }],
      },
    });
    expect(applyStrategicMergePatch({ a: 1 }, { a: undefined, b: undefined, c: { d: undefined, e: 1 } }, podPatchSchema)).toStrictEqual({
      kind: 'Patched',
      value: { a: 1, c: { e: 1 } },
    });
  });
});

describe('isEmptyPatch', () => {
  it('is true only of a patch without members', () => {
    expect([isEmptyPatch({}), isEmptyPatch({ '$setElementOrder/finalizers': [] }), isEmptyPatch({ a: null })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
