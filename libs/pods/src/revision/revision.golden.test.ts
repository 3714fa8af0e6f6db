// Vectors of spec/inplace-update.md 3.3 and 3.5 and the revisions recorded from the original.
import { describe, expect, it } from '@jest/globals';
import {
  type ControllerRevision,
  type KubeObject,
  type PersistentVolumeClaimTemplate,
  type PodTemplateSpec,
  byteText,
  canonicalJson,
  fnv1a,
} from '@kruise/objects';
import { allRecordedObjects, recordedRevision } from '@kruise/testing';
import { source, template } from '../testdata/build.ts';
import { claimTemplateHash } from './claim-template-hash.ts';
import { isEqualRevision, newRevision, planRevisions, revisionBody } from './plan-revisions.ts';
import { revisionHash, revisionName } from './revision-name.ts';
import { revisionBytes, templateBytes, templateOf } from './template-data.ts';

const dataA =
  '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"sample"}},"spec":{"containers":[{"image":"nginx:1.25","imagePullPolicy":"Always","name":"nginx","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}}';
const dataB = String.raw`{"spec":{"template":{"$patch":"replace","metadata":{"annotations":{"a\u003cb\u003e\u0026c":"x\u2028é\"\\\n\t\u0001"},"creationTimestamp":null,"labels":{"10":"z","9":"y","app":"sample"}},"spec":{"containers":[{"command":["sh","-c","a \u0026\u0026 b \u003e c"],"env":[{"name":"EMPTY"},{"name":"X","value":"1"},{"name":"L","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.labels['app']"}}},{"name":"R","valueFrom":{"resourceFieldRef":{"divisor":"0","resource":"limits.cpu"}}}],"image":"nginx:1.25","imagePullPolicy":"Always","name":"nginx","ports":[{"containerPort":80,"protocol":"TCP"}],"readinessProbe":{"failureThreshold":3,"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"periodSeconds":10,"successThreshold":1,"timeoutSeconds":1},"resources":{"requests":{"cpu":"100m","memory":"1Gi"}},"securityContext":{"privileged":true,"runAsUser":0},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"}],"volumes":[{"emptyDir":{},"name":"e"},{"name":"s","secret":{"defaultMode":420,"secretName":"q"}}]}}}}`;

/** Template B as a user may write it: other order, empty members, other forms of the same quantities. */
const templateB = template(
  {
    containers: [
      {
        name: 'nginx',
        image: 'nginx:1.25',
        command: ['sh', '-c', 'a && b > c'],
        args: [],
        env: [
          { name: 'EMPTY', value: '' },
          { name: 'X', value: '1' },
          { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']", apiVersion: 'v1' } } },
          { name: 'R', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        ],
        ports: [{ containerPort: 80, protocol: 'TCP', hostPort: 0 }],
        readinessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          initialDelaySeconds: 0,
          failureThreshold: 3,
          periodSeconds: 10,
          successThreshold: 1,
          timeoutSeconds: 1,
        },
        resources: { limits: {}, requests: { memory: '1024Mi', cpu: 0.1 } },
        securityContext: { runAsUser: 0, privileged: true },
        imagePullPolicy: 'Always',
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        stdin: false,
      },
    ],
    hostNetwork: false,
    nodeSelector: {},
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
    volumes: [
      { name: 'e', emptyDir: {} },
      { name: 's', secret: { secretName: 'q', defaultMode: 420, items: null } },
    ],
  },
  { labels: { 9: 'y', 10: 'z', app: 'sample' }, annotations: { 'a<b>&c': 'x\u2028é"\\\n\t\u0001' } },
);

describe('the vectors of the spec', () => {
  it('writes template A byte for byte', () => {
    expect(templateBytes(template())).toBe(dataA);
  });

  it('writes template B byte for byte', () => {
    expect(templateBytes(templateB)).toBe(dataB);
  });

  it.each([
    ['A with count 0', template(), 0, 'sample-5794d985c7'],
    ['A with count 1', template(), 1, 'sample-5794d985c6'],
    ['B with count 0', templateB, 0, 'sample-7f7789c9f6'],
  ])('names %s', (_name, of, collisionCount, name) => {
    expect(newRevision(source(of), 1, collisionCount).revision.metadata.name).toBe(name);
  });

  it('sends the data in exactly the bytes that were hashed', () => {
    const { revision } = newRevision(source(templateB), 1, 0);
    expect(revisionBody(revision)).toContain(`"data":${dataB}`);
  });

  it('cuts the parent to 223 characters', () => {
    expect(revisionName('x'.repeat(253), 'hash')).toBe(`${'x'.repeat(223)}-hash`);
  });

  const claim = (storage: string, more: object = {}): PersistentVolumeClaimTemplate => ({
    metadata: { name: 'data' },
    spec: { resources: { requests: { storage } }, accessModes: ['ReadWriteOnce'], ...more },
    status: { phase: 'Pending' },
  });

  it.each<[string, readonly PersistentVolumeClaimTemplate[], string]>([
    ['1Gi', [claim('1Gi')], '3636919212'],
    ['1Gi written as 1024Mi', [claim('1024Mi')], '3636919212'],
    ['2Gi', [claim('2Gi')], '2656862266'],
    ['2Gi with volumeMode', [claim('2Gi', { volumeMode: 'Filesystem' })], '1653299716'],
    ['none', [], ''],
  ])('hashes claim templates: %s', (_name, templates, hash) => {
    expect(claimTemplateHash(templates)).toBe(hash);
  });

  it('hashes several claim templates as the list that Go writes', () => {
    const written = (name: string): string =>
      `{"metadata":{"name":"${name}","creationTimestamp":null},"spec":{"resources":{}},"status":{}}`;
    const templates = ['a', 'b'].map((name) => ({ metadata: { name } }));
    expect(claimTemplateHash(templates)).toBe(String(fnv1a(byteText(`[${written('a')},${written('b')}]`))));
  });

  it('does not depend on the order of claim templates', () => {
    const other = { ...claim('1Gi'), metadata: { name: 'b' } };
    expect(claimTemplateHash([other, claim('1Gi')])).toBe(claimTemplateHash([claim('1Gi'), other]));
  });

  it('hashes a list that may change each time, and a frozen one as the same list', () => {
    const list = [claim('1Gi')];
    const before = claimTemplateHash(list);
    const frozen = Object.freeze([claim('1Gi')]);
    expect([claimTemplateHash(frozen), claimTemplateHash(frozen)]).toEqual([before, before]);
    list[0] = claim('2Gi');
    expect(claimTemplateHash(list)).not.toBe(before);
  });
});

const ofPodTemplates = (revision: ControllerRevision): boolean =>
  ['CloneSet', 'StatefulSet', 'DaemonSet'].includes(revision.metadata.ownerReferences?.[0]?.kind ?? '');
const recorded = allRecordedObjects<ControllerRevision>('controllerrevisions').filter(ofPodTemplates);

describe('revisions recorded from the original', () => {
  it.each(recorded.map((revision) => [revision.metadata.name, revision] as const))('normalising %s changes no byte', (_name, revision) => {
    expect(revisionBytes(revision)).toBe(canonicalJson(revision.data));
    expect(templateBytes(templateOf(revision) ?? {})).toBe(canonicalJson(revision.data));
  });

  const named = recorded.filter((revision) => revision.metadata.ownerReferences?.[0]?.kind !== 'DaemonSet');
  it.each(named.map((revision) => [revision.metadata.name, revision] as const))(
    'computes the name and hash label of %s',
    (name, revision) => {
      const parent = revision.metadata.ownerReferences?.[0]?.name ?? '';
      const hash = revisionHash(revisionBytes(revision), 0);
      expect(revisionName(parent, hash)).toBe(name);
      expect(revision.metadata.labels?.['controller.kubernetes.io/hash']).toBe(hash);
    },
  );

  it('counts a revision without the null creationTimestamp as equal', () => {
    const revision = recordedRevision('db-6856b9b557');
    const stripped = JSON.parse(JSON.stringify(revision).replace('"creationTimestamp":null,', '')) as ControllerRevision;
    expect(canonicalJson(stripped.data)).not.toBe(canonicalJson(revision.data));
    expect(isEqualRevision(revision, stripped)).toBe(true);
  });

  interface Workload extends KubeObject {
    readonly spec: { readonly template: PodTemplateSpec; readonly volumeClaimTemplates?: readonly PersistentVolumeClaimTemplate[] };
    readonly status: { readonly updateRevision: string; readonly currentRevision: string };
  }
  const workloads = [...allRecordedObjects<Workload>('clonesets.v1beta1'), ...allRecordedObjects<Workload>('statefulsets.v1beta1')];

  it('finds nothing to write for the recorded workloads: a takeover touches no Pod', () => {
    const revisions = allRecordedObjects<ControllerRevision>('controllerrevisions');
    expect(workloads.length).toBeGreaterThan(10);
    for (const { metadata, spec, status } of workloads) {
      const listed = revisions.filter((revision) => revision.metadata.name === status.updateRevision).slice(0, 1);
      const seen = { ...source(spec.template), parent: metadata.name };
      const plan = planRevisions({ listed, source: seen, currentName: status.currentRevision, collisionCount: 0 });
      expect(plan.actions).toEqual([]);
      expect(plan.update.metadata.name).toBe(status.updateRevision);
      const held = plan.update.metadata.annotations?.['kruise.io/cloneset-volumeclaimtemplate-hash'];
      if (held !== undefined) expect(claimTemplateHash(spec.volumeClaimTemplates)).toBe(held);
    }
  });
});
