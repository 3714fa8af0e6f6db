// Pods that the original manager injected on a real cluster.
import { describe, expect, it } from '@jest/globals';
import type { SidecarSet } from '@kruise/api';
import { parseTime, type Container, type Pod } from '@kruise/objects';
import { recordedObjects } from '@kruise/testing';
import { injectionRecordsOf, inject, prepareVersion, currentVersion } from '@kruise/kinds/sidecarset';
import { aNewPod } from '@kruise/kinds/sidecarset/injection/injection.testing';

/** Without what the API server adds. */
const asSubmitted = ({ volumeMounts: _token, ...container }: Container): Container => container;

describe('the injection', () => {
  it('makes of a Pod what the original made of it', () => {
    const [sidecarSet] = recordedObjects<SidecarSet>('1-created', 'sidecarsets.v1beta1');
    const pods = recordedObjects<Pod>('1-created', 'pods').filter(
      ({ metadata }) => metadata.annotations?.['kruise.io/sidecarset-hash'] !== undefined,
    );
    expect(pods).toHaveLength(2);
    for (const pod of pods) {
      const submitted = aNewPod({ containers: pod.spec.containers.filter(({ name }) => name === 'c').map(asSubmitted) });
      const now = parseTime(injectionRecordsOf(pod.metadata).get('recorded-sidecar')?.updateTimestamp)!;
      const result = inject(submitted, [prepareVersion(currentVersion(sidecarSet!))], { now, sortByName: false });
      if (result.kind === 'Refused') throw new Error(result.why);
      expect(result.pod.spec.containers).toEqual(pod.spec.containers.map(asSubmitted));
      expect(pod.metadata.annotations).toMatchObject(result.pod.metadata.annotations!);
    }
  });
});
