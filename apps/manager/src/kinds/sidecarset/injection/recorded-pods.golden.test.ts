// Pods that the original manager injected on a real cluster (skipped where that record is absent).
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { SidecarSet } from '@kruise/api';
import { parseTime, type Container, type Pod } from '@kruise/objects';
import { injectionRecordsOf } from '../pod-record.ts';
import { inject } from './inject.ts';
import { aNewPod } from './injection.testing.ts';
import { prepareVersion } from './prepared-version.ts';
import { currentVersion } from './version.ts';

const recorded = new URL('../../../../../../../shared/facts/recorded/1-created/', import.meta.url);
const read = <T>(file: string): readonly T[] => JSON.parse(readFileSync(new URL(file, recorded), 'utf8')) as readonly T[];

/** Without what the API server adds. */
const asSubmitted = ({ volumeMounts: _token, ...container }: Container): Container => container;

(existsSync(recorded) ? describe : describe.skip)('the injection', () => {
  it('makes of a Pod what the original made of it', () => {
    const [sidecarSet] = read<SidecarSet>('sidecarsets.v1beta1.json');
    const pods = read<Pod>('pods.json').filter(({ metadata }) => metadata.annotations?.['kruise.io/sidecarset-hash'] !== undefined);
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
