import { describe, expect, it } from '@jest/globals';
import { KnownMembers } from './known-members.ts';
import { viewOf } from '../view/sidecar-set-view.ts';
import { anInjectedPod, aSidecar, aSidecarSet, changed } from '../testing.ts';

describe('what is known of Pods', () => {
  const first = aSidecarSet();
  const pod = anInjectedPod(first);

  it('is kept as long as the Pod and the spec stay', () => {
    const known = new KnownMembers();
    const member = known.memberOf(pod, viewOf(first));
    const counted = {
      ...first,
      metadata: { ...first.metadata, resourceVersion: '8' },
      status: { matchedPods: 1, updatedPods: 1, readyPods: 1 },
    };
    expect(known.memberOf(pod, viewOf(counted))).toBe(member);
    expect(known.memberOf({ ...pod }, viewOf(first))).not.toBe(member);
  });

  it('is computed again for another spec, and for another SidecarSet of the same name', () => {
    const known = new KnownMembers();
    expect(known.memberOf(pod, viewOf(first)).updated).toBe(true);
    expect(known.memberOf(pod, viewOf(changed(first, { containers: [aSidecar('side', 'side:2')] }))).updated).toBe(false);
    const odd = aSidecarSet({ containers: [aSidecar('other', 'side:1')] });
    expect(known.memberOf(pod, viewOf({ ...odd, metadata: { ...odd.metadata, uid: 'another' } })).injected).toBe(false);
  });

  it('is computed again for a spec of the same hash, and for a hash that was written later', () => {
    const known = new KnownMembers();
    const member = known.memberOf(pod, viewOf(first));
    const selecting = changed(first, { updateStrategy: { selector: { matchLabels: { app: 'x' } } } });
    expect(viewOf(selecting).hash).toBe(viewOf(first).hash);
    const again = known.memberOf(pod, viewOf(selecting));
    expect(again).not.toBe(member);
    expect(known.memberOf(pod, { ...viewOf(selecting), hash: 'other' })).not.toBe(again);
  });

  it('is dropped with the SidecarSet', () => {
    const known = new KnownMembers();
    const member = known.memberOf(pod, viewOf(first));
    known.forget(first.metadata.uid ?? '');
    expect(known.memberOf(pod, viewOf(first))).not.toBe(member);
  });
});
