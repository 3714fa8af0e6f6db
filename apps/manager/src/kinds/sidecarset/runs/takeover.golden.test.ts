/** What another implementation left behind is ours: recognised, and continued byte for byte. */
import { describe, expect, it } from '@jest/globals';
import { sidecarSets, type SidecarSetStatus } from '@kruise/api';
import { isWrite } from '@kruise/kube/testing';
import { controllerRevisions, instant, namespaces, pods, type Pod } from '@kruise/objects';
import { newRevision } from '@kruise/pods';
import type { RecordedStage } from '@kruise/testing';
import { asNew } from '../../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../../module/in-memory-cluster.testing.ts';
import { sidecarSetController } from '../controller.ts';
import {
  memberOf,
  recordsOf,
  plan,
  storedVersionBytes,
  versionBytes,
  viewOf,
  type Snapshot,
  isStatusChanged,
  updatedPod,
  withUpgradable,
} from '@kruise/kinds/sidecarset';
import { recordedAt } from '@kruise/kinds/sidecarset/recorded.testing';
import { aContext } from '@kruise/kinds/sidecarset/testing';

const named = (pods: readonly Pod[], ending: string): Pod => pods.find(({ metadata }) => metadata.name.endsWith(ending)) as Pod;

/** The recorded objects on a simulated API server, which gives them new resource versions. */
function serverWith({ sidecarSet, pods: recorded, revisions, namespaceLabels }: Snapshot): InMemoryCluster {
  const cluster = new InMemoryCluster(sidecarSetController);
  const { api } = cluster;
  for (const [name, labels] of namespaceLabels) api.seed(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  const status = { ...(sidecarSet.status as SidecarSetStatus), observedGeneration: 1 };
  const { metadata } = api.seed(sidecarSets, asNew({ ...sidecarSet, status }));
  for (const pod of recorded) api.seed(pods, asNew(pod));
  for (const revision of revisions) {
    const ownerReferences = (revision.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, uid: metadata.uid ?? '' }));
    api.seed(controllerRevisions, asNew({ ...revision, metadata: { ...revision.metadata, ownerReferences } }));
  }
  return cluster;
}

describe('the recorded SidecarSet', () => {
  it.each<{ moment: RecordedStage; writes: readonly string[] }>([
    { moment: '1-created', writes: [] },
    // The original had not counted the Pod yet whose update it had just written.
    { moment: '2-updating', writes: ['SidecarSet/status'] },
    { moment: '3-updated', writes: [] },
  ])('is taken over at $moment without a write to Pods or revisions', async ({ moment, writes }) => {
    const cluster = serverWith(recordedAt(moment));
    const { api, clock } = cluster;
    const manager = cluster.begin();
    for (let i = 0; i < 3; i++) {
      await manager.settle();
      await clock.step(60_000);
    }
    const written = api.calls.filter(isWrite).map(({ type, subresource }) => `${type?.kind ?? ''}/${subresource}`);
    expect(written).toEqual(writes);
    expect(manager.events).toEqual([]);
    await manager.stop();
  });

  it.each(['1-created', '3-updated'] as const)('is left alone at %s: nothing to write, not even a status', (moment) => {
    const seen = recordedAt(moment);
    const next = plan(seen, aContext());
    expect(next).toMatchObject({ revisions: [], conditions: [], changes: [], housekeeping: [], notUpgradable: 0 });
    expect(isStatusChanged(seen.sidecarSet, next.status)).toBe(false);
  });

  it('waits at 2-updating for the Pod that is written but whose old container still runs', () => {
    const seen = recordedAt('2-updating');
    const next = plan(seen, aContext());
    expect(next).toMatchObject({ revisions: [], conditions: [], changes: [] });
    expect(next.status).toMatchObject({ matchedPods: 2, updatedPods: 1, readyPods: 1, latestRevision: 'recorded-sidecar-64658c65b' });
    const view = viewOf(seen.sidecarSet);
    const consistency = seen.pods.map((pod) => memberOf(pod, recordsOf(pod), view).consistent);
    expect(consistency.filter((consistent) => !consistent)).toHaveLength(1);
  });

  it('gives the same revisions', () => {
    const { sidecarSet, revisions } = recordedAt('2-updating');
    const source = {
      namespace: 'kruise-system',
      parent: sidecarSet.metadata.name,
      owner: { apiVersion: '', kind: '', name: '', uid: '' },
      annotations: {},
      template: { of: sidecarSet.spec, bytes: () => versionBytes(sidecarSet.spec), labels: {}, storedBytes: storedVersionBytes },
    };
    const { revision } = newRevision(source, 2, 0);
    expect(revision.metadata.name).toBe('recorded-sidecar-64658c65b');
    expect(revision.data).toEqual(revisions.at(-1)?.data);
  });

  it('is updated to the same annotations, image and condition', () => {
    const [before, after] = [recordedAt('1-created'), recordedAt('2-updating')];
    const now = instant(Date.parse('2026-11-21T07:39:11Z'));
    const context = { view: viewOf(after.sidecarSet), latestRevision: 'recorded-sidecar-64658c65b', now };
    const written = updatedPod(named(before.pods, 'q6wt7'), context);
    const recorded = named(after.pods, 'q6wt7');
    expect(written.metadata.annotations).toEqual(recorded.metadata.annotations);
    expect(written.spec.containers.map(({ image }) => image)).toEqual(recorded.spec.containers.map(({ image }) => image));
    const condition = recorded.status?.conditions?.find(({ type }) => type === 'SidecarSetUpgradable');
    const { lastProbeTime: _null, ...expected } = condition ?? {};
    expect(withUpgradable(written, 'recorded-sidecar', true, now)).toContainEqual(expected);
  });
});
