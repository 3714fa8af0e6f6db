/** Every event of a CloneSet, word for word. @see spec/cloneset.md 3 */
import { describe, expect, it } from '@jest/globals';
import { persistentVolumeClaims } from '@kruise/objects';
import { CloneSetPasses, forbidden, onCreate } from './passes.testing.ts';
import { cloneSetEvents, type CloneSetEvents } from './events.ts';
import { ownerReferenceTo } from '@kruise/kinds/cloneset';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

const meta = { name: 'web-x', namespace: 'default' };
const spec = { containers: [{ name: 'main', image: 'app:1' }] };
const no = new Error('no');

describe('the events of a CloneSet', () => {
  it.each<[string, (events: CloneSetEvents) => void]>([
    ['Normal SuccessfulCreate succeed to create pod web-x', (events) => events.created('web-x')],
    [
      'Warning FailedCreate failed to create pod: no, pod: {"metadata":{"name":"web-x","namespace":"default"},"spec":{"containers":[{"name":"main","image":"app:1"}]},"status":{}}',
      (events) => events.failedCreatePod(no, { apiVersion: 'v1', kind: 'Pod', metadata: meta, spec }),
    ],
    [
      'Warning FailedCreate failed to create pvc: no, pvc: {"metadata":{"name":"web-x","namespace":"default"},"spec":{"volumeName":"v"},"status":{}}',
      (events) => events.failedCreateClaim(no, { metadata: meta, spec: { volumeName: 'v' } }),
    ],
    ['Normal SuccessfulDelete succeed to delete pod web-x', (events) => events.deleted('web-x')],
    ['Warning FailedDelete failed to delete pod web-x: no', (events) => events.failedDeletePod(no, 'web-x')],
    ['Warning FailedDelete failed to delete pvc data-x: no', (events) => events.failedDeleteClaim(no, 'data-x')],
    ['Warning FailedDelete failed to clean up PVC data-x: no', (events) => events.failedCleanUpClaim(no, 'data-x')],
    ['Warning FailedUpdate failed to update PVC data-x: no', (events) => events.failedUpdateClaim(no, 'data-x')],
    ['Warning ScaleUpLimited scaleUp is limited because of scaleStrategy.maxUnavailable, limit: 2', (events) => events.scaleUpLimited(2)],
    [
      'Normal WaitingForNames waiting for terminating Pods to vanish before their names are used again: web-x, web-y',
      (events) => events.waitingForNames(['web-x', 'web-y']),
    ],
    ['Warning InvalidSpec spec.replicas: Invalid value', (events) => events.invalid('spec.replicas: Invalid value')],
    [
      'Normal SuccessfulUpdatePodInPlace successfully update pod web-x in-place(revision r-2)',
      (events) => events.updatedInPlace('web-x', 'r-2'),
    ],
    [
      'Warning FailedUpdatePodInPlace failed to update pod web-x in-place(revision r-2): no',
      (events) => events.failedUpdateInPlace(no, 'web-x', 'r-2'),
    ],
    [
      'Normal SuccessfulUpdatePodReCreate successfully patch pod web-x specified-delete for update(revision r-2)',
      (events) => events.markedForRecreation('web-x', 'r-2'),
    ],
    [
      'Warning FailedUpdatePodReCreate failed to patch pod specified-delete web-x for update(revision r-2): no',
      (events) => events.failedMarkForRecreation(no, 'web-x', 'r-2'),
    ],
    [
      'Normal CreatedImagePullJob created ImagePullJob web-job for image: app:2',
      (events) => events.createdImagePullJob('web-job', 'app:2'),
    ],
  ])('%s', (text, record) => {
    const reported: string[] = [];
    const event = (_about: unknown, type: string, reason: string, message: string): void =>
      void reported.push(`${type} ${reason} ${message}`);
    record(cloneSetEvents({ event }, aCloneSet()));
    expect(reported).toEqual([text]);
  });

  it('contain the complete Pod that could not be created', async () => {
    await using passes = new CloneSetPasses({ replicas: 1 });
    await passes.pass();
    passes.refuse = onCreate('pods', forbidden('exceeded quota: small'));
    await passes.pass();
    expect(passes.events).toEqual([
      expect.stringMatching(/^Warning FailedCreate failed to create pod: exceeded quota: small, pod: \{"metadata":/),
    ]);
    const [, json = ''] = / pod: (\{.*\})$/.exec(passes.events[0] ?? '') ?? [];
    expect(JSON.parse(json)).toMatchObject({
      metadata: { generateName: 'sample-', labels: { app: 'sample', 'lifecycle.apps.kruise.io/state': 'PreparingNormal' } },
      spec,
    });
  });

  it('distinguish a surplus claim from one that is deleted with its Pod', async () => {
    await using passes = new CloneSetPasses({ replicas: 0 });
    for (let i = 0; i < 2; i++) await passes.pass();
    const ownerReferences = [ownerReferenceTo(passes.cloneSet)];
    const labels = { 'apps.kruise.io/cloneset-instance-id': 'gone1' };
    passes.api.seed(persistentVolumeClaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-sample-gone1', namespace: 'default', labels, ownerReferences },
    });
    passes.refuse = ({ verb, type }) => (verb === 'delete' && type?.plural === 'persistentvolumeclaims' ? forbidden('kept') : undefined);
    await passes.pass();
    expect(passes.events).toEqual(['Warning FailedDelete failed to clean up PVC data-sample-gone1: kept']);
  });
});
