import { describe, expect, it } from '@jest/globals';
import { instant, isPodReady, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { Kubelets } from './kubelet-step.testing.ts';

const now = instant(0);
const later = instant(60_000);

describe('the kubelets of a simulation', () => {
  const kubelets = new Kubelets();
  const started = kubelets.change(aPod({}), now) as Pod;

  it('start a Pod, and change nothing after that, however often they look', () => {
    expect(isPodReady(started)).toBe(true);
    expect([kubelets.change(started, later), kubelets.change(started, later)]).toEqual([undefined, undefined]);
  });

  it('change a Pod that they left as it was when its image turns out to be broken, and when it is well again', () => {
    const brokenImages = new Set([started.spec.containers[0]?.image ?? '']);
    expect(kubelets.change(started, later)).toBeUndefined();
    const broken = kubelets.change(started, later, { brokenImages }) as Pod;
    expect(isPodReady(broken)).toBe(false);
    expect(kubelets.change(broken, later, { brokenImages })).toBeUndefined();
    expect(isPodReady(kubelets.change(broken, later) as Pod)).toBe(true);
  });

  it('restart the container of a Pod that gets another image', () => {
    const [container] = started.spec.containers;
    const changed = { ...started, spec: { ...started.spec, containers: [{ ...container, name: 'main', image: 'app:2' }] } };
    expect(kubelets.change(changed, later)?.status?.containerStatuses?.[0]).toMatchObject({ image: 'app:2', restartCount: 1 });
  });
});
